// RUN: --shardc-split-factors
// An upper factor of complex numbers: the adjoint of the block beside the diagonal is its conjugate, transposed.
func.func @main(%arg0: tensor<2x256x256xcomplex<f64>>) -> tensor<2x256x256xcomplex<f64>> {
  %0 = stablehlo.cholesky %arg0, lower = false : tensor<2x256x256xcomplex<f64>>
  return %0 : tensor<2x256x256xcomplex<f64>>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x256x256xcomplex<f64>>) -> tensor<2x256x256xcomplex<f64>> {
    %0 = stablehlo.slice %arg0 [0:2, 0:128, 0:128] : (tensor<2x256x256xcomplex<f64>>) -> tensor<2x128x128xcomplex<f64>>
    %1 = stablehlo.cholesky %0, lower = false : tensor<2x128x128xcomplex<f64>>
    %2 = stablehlo.slice %arg0 [0:2, 0:128, 128:256] : (tensor<2x256x256xcomplex<f64>>) -> tensor<2x128x128xcomplex<f64>>
    %3 = stablehlo.slice %arg0 [0:2, 128:256, 128:256] : (tensor<2x256x256xcomplex<f64>>) -> tensor<2x128x128xcomplex<f64>>
    %4 = "stablehlo.triangular_solve"(%1, %2) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x128x128xcomplex<f64>>, tensor<2x128x128xcomplex<f64>>) -> tensor<2x128x128xcomplex<f64>>
    %5 = stablehlo.real %4 : (tensor<2x128x128xcomplex<f64>>) -> tensor<2x128x128xf64>
    %6 = stablehlo.imag %4 : (tensor<2x128x128xcomplex<f64>>) -> tensor<2x128x128xf64>
    %7 = stablehlo.negate %6 : tensor<2x128x128xf64>
    %8 = stablehlo.complex %5, %7 : tensor<2x128x128xcomplex<f64>>
    %9 = stablehlo.dot_general %8, %4, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x128x128xcomplex<f64>>, tensor<2x128x128xcomplex<f64>>) -> tensor<2x128x128xcomplex<f64>>
    %10 = stablehlo.subtract %3, %9 : tensor<2x128x128xcomplex<f64>>
    %11 = stablehlo.cholesky %10, lower = false : tensor<2x128x128xcomplex<f64>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<2x128x128xcomplex<f64>>
    %12 = stablehlo.concatenate %1, %4, dim = 2 : (tensor<2x128x128xcomplex<f64>>, tensor<2x128x128xcomplex<f64>>) -> tensor<2x128x256xcomplex<f64>>
    %13 = stablehlo.concatenate %cst, %11, dim = 2 : (tensor<2x128x128xcomplex<f64>>, tensor<2x128x128xcomplex<f64>>) -> tensor<2x128x256xcomplex<f64>>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x128x256xcomplex<f64>>, tensor<2x128x256xcomplex<f64>>) -> tensor<2x256x256xcomplex<f64>>
    return %14 : tensor<2x256x256xcomplex<f64>>
  }
}
