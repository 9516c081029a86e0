// RUN: --shardc-unroll-loops
// What makes one step is no loop, whatever it does; of one that makes none the carries stay as they were.
func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32>
  cond {
    %4 = stablehlo.compare LT, %iterArg, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.dot_general %iterArg_0, %arg0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.add %iterArg, %1 : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<8x8xf32>
  }
  %3:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x8xf32>
  cond {
    %4 = stablehlo.compare LT, %iterArg, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.tanh %iterArg_0 : tensor<8x8xf32>
    %5 = stablehlo.add %iterArg, %1 : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<8x8xf32>
  }
  return %2#1, %3#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.add %c, %c_0 : tensor<i32>
    return %0, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
