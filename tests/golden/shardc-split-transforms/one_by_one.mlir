// RUN: --shardc-split-transforms
// A large transform of several dimensions is one of each, in the order that its kind needs. Small ones, and one of many slices, stay.
func.func @main(%x: tensor<128x256xf32>, %y: tensor<2x32x24x33xcomplex<f32>>, %z: tensor<64x64xcomplex<f32>>, %w: tensor<9x128x128xcomplex<f32>>) -> (tensor<128x129xcomplex<f32>>, tensor<2x32x24x64xf32>, tensor<64x64xcomplex<f32>>, tensor<9x128x128xcomplex<f32>>) {
  %0 = stablehlo.fft %x, type = RFFT, length = [128, 256] : (tensor<128x256xf32>) -> tensor<128x129xcomplex<f32>>
  %1 = stablehlo.fft %y, type = IRFFT, length = [32, 24, 64] : (tensor<2x32x24x33xcomplex<f32>>) -> tensor<2x32x24x64xf32>
  %2 = stablehlo.fft %z, type = FFT, length = [64, 64] : (tensor<64x64xcomplex<f32>>) -> tensor<64x64xcomplex<f32>>
  %3 = stablehlo.fft %w, type = IFFT, length = [128, 128] : (tensor<9x128x128xcomplex<f32>>) -> tensor<9x128x128xcomplex<f32>>
  return %0, %1, %2, %3 : tensor<128x129xcomplex<f32>>, tensor<2x32x24x64xf32>, tensor<64x64xcomplex<f32>>, tensor<9x128x128xcomplex<f32>>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<128x256xf32>, %arg1: tensor<2x32x24x33xcomplex<f32>>, %arg2: tensor<64x64xcomplex<f32>>, %arg3: tensor<9x128x128xcomplex<f32>>) -> (tensor<128x129xcomplex<f32>>, tensor<2x32x24x64xf32>, tensor<64x64xcomplex<f32>>, tensor<9x128x128xcomplex<f32>>) {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [256] : (tensor<128x256xf32>) -> tensor<128x129xcomplex<f32>>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<128x129xcomplex<f32>>) -> tensor<129x128xcomplex<f32>>
    %2 = stablehlo.fft %1, type = FFT, length = [128] : (tensor<129x128xcomplex<f32>>) -> tensor<129x128xcomplex<f32>>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<129x128xcomplex<f32>>) -> tensor<128x129xcomplex<f32>>
    %4 = stablehlo.transpose %arg1, dims = [0, 1, 3, 2] : (tensor<2x32x24x33xcomplex<f32>>) -> tensor<2x32x33x24xcomplex<f32>>
    %5 = stablehlo.fft %4, type = IFFT, length = [24] : (tensor<2x32x33x24xcomplex<f32>>) -> tensor<2x32x33x24xcomplex<f32>>
    %6 = stablehlo.transpose %5, dims = [0, 1, 3, 2] : (tensor<2x32x33x24xcomplex<f32>>) -> tensor<2x32x24x33xcomplex<f32>>
    %7 = stablehlo.transpose %6, dims = [0, 3, 2, 1] : (tensor<2x32x24x33xcomplex<f32>>) -> tensor<2x33x24x32xcomplex<f32>>
    %8 = stablehlo.fft %7, type = IFFT, length = [32] : (tensor<2x33x24x32xcomplex<f32>>) -> tensor<2x33x24x32xcomplex<f32>>
    %9 = stablehlo.transpose %8, dims = [0, 3, 2, 1] : (tensor<2x33x24x32xcomplex<f32>>) -> tensor<2x32x24x33xcomplex<f32>>
    %10 = stablehlo.fft %9, type = IRFFT, length = [64] : (tensor<2x32x24x33xcomplex<f32>>) -> tensor<2x32x24x64xf32>
    %11 = stablehlo.fft %arg2, type = FFT, length = [64, 64] : (tensor<64x64xcomplex<f32>>) -> tensor<64x64xcomplex<f32>>
    %12 = stablehlo.fft %arg3, type = IFFT, length = [128, 128] : (tensor<9x128x128xcomplex<f32>>) -> tensor<9x128x128xcomplex<f32>>
    return %3, %10, %11, %12 : tensor<128x129xcomplex<f32>>, tensor<2x32x24x64xf32>, tensor<64x64xcomplex<f32>>, tensor<9x128x128xcomplex<f32>>
  }
}
