// RUN: --stablehlo-aggressive-simplification
// The conjugate and the real part of a real number are the number; of a complex one they are not.
func.func @main(%a: tensor<2xf32>, %b: tensor<2xcomplex<f32>>) -> (tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>) {
  %0 = chlo.conj %a : tensor<2xf32> -> tensor<2xf32>
  %1 = stablehlo.real %0 : tensor<2xf32>
  %2 = chlo.conj %b : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %3 = stablehlo.real %b : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %1, %2, %3 : tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xcomplex<f32>>) -> (tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>) {
    %0 = chlo.conj %arg1 : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
    %1 = stablehlo.real %arg1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %arg0, %0, %1 : tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>
  }
}
