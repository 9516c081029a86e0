// RUN: --sdy-constant-or-scalar-splitter
// Constant computations are copied for each use, scalars are not.
func.func @main(%arg0: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xi32>
  %1 = stablehlo.add %0, %0 : tensor<8xi32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<8xi32>
  %3 = stablehlo.subtract %arg0, %1 : tensor<8xi32>
  return %1, %2, %3 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1 = stablehlo.iota dim = 0 : tensor<8xi32>
    %2 = stablehlo.iota dim = 0 : tensor<8xi32>
    %3 = stablehlo.add %0, %0 : tensor<8xi32>
    %4 = stablehlo.add %1, %1 : tensor<8xi32>
    %5 = stablehlo.add %2, %2 : tensor<8xi32>
    %6 = stablehlo.multiply %arg0, %3 : tensor<8xi32>
    %7 = stablehlo.subtract %arg0, %4 : tensor<8xi32>
    return %5, %6, %7 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
  }
}
