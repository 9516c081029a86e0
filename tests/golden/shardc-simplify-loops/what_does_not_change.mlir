// RUN: --shardc-simplify-loops
// A carry that the body passes on is no carry, and what depends on it alone is computed before the loop.
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1:3 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  cond {
    %2 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.compare LT, %iterArg, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %2 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %iterArg, %2 : tensor<i32>
    %4 = stablehlo.tanh %iterArg_1 : tensor<8xf32>
    %5 = stablehlo.add %iterArg_0, %4 : tensor<8xf32>
    stablehlo.return %3, %5, %iterArg_1 : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  }
  return %1#1 : tensor<8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.tanh %arg1 : tensor<8xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<8xf32>
    cond {
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      %3 = stablehlo.add %iterArg_1, %0 : tensor<8xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<8xf32>
    }
    return %1#1 : tensor<8xf32>
  }
}
