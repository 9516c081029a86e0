// RUN: --shardc-split-factors
// The first half's factor, the block below it, and the factor of what is left.
func.func @main(%arg0: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<300x300xf32>
  return %0 : tensor<300x300xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<300x300xf32>) -> tensor<300x300xf32> {
    %0 = stablehlo.slice %arg0 [0:128, 0:128] : (tensor<300x300xf32>) -> tensor<128x128xf32>
    %1 = stablehlo.cholesky %0, lower = true : tensor<128x128xf32>
    %2 = stablehlo.slice %arg0 [128:300, 0:128] : (tensor<300x300xf32>) -> tensor<172x128xf32>
    %3 = stablehlo.slice %arg0 [128:300, 128:300] : (tensor<300x300xf32>) -> tensor<172x172xf32>
    %4 = "stablehlo.triangular_solve"(%1, %2) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<128x128xf32>, tensor<172x128xf32>) -> tensor<172x128xf32>
    %5 = stablehlo.dot_general %4, %4, contracting_dims = [1] x [1] : (tensor<172x128xf32>, tensor<172x128xf32>) -> tensor<172x172xf32>
    %6 = stablehlo.subtract %3, %5 : tensor<172x172xf32>
    %7 = stablehlo.cholesky %6, lower = true : tensor<172x172xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<128x172xf32>
    %8 = stablehlo.concatenate %1, %cst, dim = 1 : (tensor<128x128xf32>, tensor<128x172xf32>) -> tensor<128x300xf32>
    %9 = stablehlo.concatenate %4, %7, dim = 1 : (tensor<172x128xf32>, tensor<172x172xf32>) -> tensor<172x300xf32>
    %10 = stablehlo.concatenate %8, %9, dim = 0 : (tensor<128x300xf32>, tensor<172x300xf32>) -> tensor<300x300xf32>
    return %10 : tensor<300x300xf32>
  }
}
