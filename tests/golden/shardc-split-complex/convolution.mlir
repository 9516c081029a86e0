// RUN: --shardc-split-complex
func.func @main(%arg0: tensor<1x4x4x1xcomplex<f32>>, %arg1: tensor<2x2x1x3xcomplex<f32>>) -> tensor<1x3x3x3xcomplex<f32>> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xcomplex<f32>>, tensor<2x2x1x3xcomplex<f32>>) -> tensor<1x3x3x3xcomplex<f32>>
  return %0 : tensor<1x3x3x3xcomplex<f32>>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<1x4x4x1xcomplex<f32>>, %arg1: tensor<2x2x1x3xcomplex<f32>>) -> tensor<1x3x3x3xcomplex<f32>> {
    %0 = stablehlo.real %arg0 : (tensor<1x4x4x1xcomplex<f32>>) -> tensor<1x4x4x1xf32>
    %1 = stablehlo.imag %arg0 : (tensor<1x4x4x1xcomplex<f32>>) -> tensor<1x4x4x1xf32>
    %2 = stablehlo.real %arg1 : (tensor<2x2x1x3xcomplex<f32>>) -> tensor<2x2x1x3xf32>
    %3 = stablehlo.imag %arg1 : (tensor<2x2x1x3xcomplex<f32>>) -> tensor<2x2x1x3xf32>
    %4 = stablehlo.convolution(%0, %2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x3xf32>) -> tensor<1x3x3x3xf32>
    %5 = stablehlo.convolution(%1, %3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x3xf32>) -> tensor<1x3x3x3xf32>
    %6 = stablehlo.convolution(%0, %3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x3xf32>) -> tensor<1x3x3x3xf32>
    %7 = stablehlo.convolution(%1, %2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x3xf32>) -> tensor<1x3x3x3xf32>
    %8 = stablehlo.subtract %4, %5 : tensor<1x3x3x3xf32>
    %9 = stablehlo.add %6, %7 : tensor<1x3x3x3xf32>
    %10 = stablehlo.complex %8, %9 : tensor<1x3x3x3xcomplex<f32>>
    return %10 : tensor<1x3x3x3xcomplex<f32>>
  }
}
