// RUN: --shardc-split-complex
// Large products and convolutions are those of their parts; small products stay.
func.func @main(%arg0: tensor<4x16x32xcomplex<f32>>, %arg1: tensor<32x8xcomplex<f32>>, %arg2: tensor<2x2xcomplex<f64>>) -> (tensor<4x16x8xcomplex<f32>>, tensor<2x2xcomplex<f64>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<4x16x32xcomplex<f32>>, tensor<32x8xcomplex<f32>>) -> tensor<4x16x8xcomplex<f32>>
  %1 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [1] x [0] : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
  return %0, %1 : tensor<4x16x8xcomplex<f32>>, tensor<2x2xcomplex<f64>>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x16x32xcomplex<f32>>, %arg1: tensor<32x8xcomplex<f32>>, %arg2: tensor<2x2xcomplex<f64>>) -> (tensor<4x16x8xcomplex<f32>>, tensor<2x2xcomplex<f64>>) {
    %0 = stablehlo.real %arg0 : (tensor<4x16x32xcomplex<f32>>) -> tensor<4x16x32xf32>
    %1 = stablehlo.imag %arg0 : (tensor<4x16x32xcomplex<f32>>) -> tensor<4x16x32xf32>
    %2 = stablehlo.real %arg1 : (tensor<32x8xcomplex<f32>>) -> tensor<32x8xf32>
    %3 = stablehlo.imag %arg1 : (tensor<32x8xcomplex<f32>>) -> tensor<32x8xf32>
    %4 = stablehlo.dot_general %0, %2, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x8xf32>) -> tensor<4x16x8xf32>
    %5 = stablehlo.dot_general %1, %3, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x8xf32>) -> tensor<4x16x8xf32>
    %6 = stablehlo.dot_general %0, %3, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x8xf32>) -> tensor<4x16x8xf32>
    %7 = stablehlo.dot_general %1, %2, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x8xf32>) -> tensor<4x16x8xf32>
    %8 = stablehlo.subtract %4, %5 : tensor<4x16x8xf32>
    %9 = stablehlo.add %6, %7 : tensor<4x16x8xf32>
    %10 = stablehlo.complex %8, %9 : tensor<4x16x8xcomplex<f32>>
    %11 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [1] x [0] : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
    return %10, %11 : tensor<4x16x8xcomplex<f32>>, tensor<2x2xcomplex<f64>>
  }
}
