// RUN: --sdy-populate-op-sharding-rules
// Common divisors from the major end; factors of their own where there is none.
func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<6x5xf32>, %arg2: tensor<1x7xf32>) -> (tensor<2x16xf32>, tensor<15x2xf32>, tensor<7x1xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<2x16xf32>
  %1 = stablehlo.reshape %arg1 : (tensor<6x5xf32>) -> tensor<15x2xf32>
  %2 = stablehlo.reshape %arg2 : (tensor<1x7xf32>) -> tensor<7x1xf32>
  return %0, %1, %2 : tensor<2x16xf32>, tensor<15x2xf32>, tensor<7x1xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<6x5xf32>, %arg2: tensor<1x7xf32>) -> (tensor<2x16xf32>, tensor<15x2xf32>, tensor<7x1xf32>) {
    %0 = stablehlo.reshape %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, jk]) {i=2, j=4, k=4}>} : (tensor<8x4xf32>) -> tensor<2x16xf32>
    %1 = stablehlo.reshape %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, l])->([ik, m]) {i=3, j=2, k=5, l=5, m=2}>} : (tensor<6x5xf32>) -> tensor<15x2xf32>
    %2 = stablehlo.reshape %arg2 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, k]) {i=1, j=7, k=1}>} : (tensor<1x7xf32>) -> tensor<7x1xf32>
    return %0, %1, %2 : tensor<2x16xf32>, tensor<15x2xf32>, tensor<7x1xf32>
  }
}
