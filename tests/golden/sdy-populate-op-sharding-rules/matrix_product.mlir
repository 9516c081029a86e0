// RUN: --sdy-populate-op-sharding-rules
// Batch, free dims of lhs, free dims of rhs, contracting.
func.func @main(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x8x16xf32>, %arg1: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=2, j=8, k=4, l=16} reduction={l}>} : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
    return %0 : tensor<2x8x4xf32>
  }
}
