// Large transforms of two and three dimensions, of all kinds, lengths of powers of two and others, on one slice and on three.
// tolerance: 2e-4
func.func @main(%a: tensor<128x130xf32>, %b: tensor<3x90x210xf32>, %c: tensor<32x24x40xf64>) -> (tensor<128x66xf32>, tensor<3x90x210xf32>, tensor<32x24x40xf64>, tensor<32x24x40xf64>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [128, 130] : (tensor<128x130xf32>) -> tensor<128x66xcomplex<f32>>
  %r = stablehlo.real %0 : (tensor<128x66xcomplex<f32>>) -> tensor<128x66xf32>
  %1 = stablehlo.fft %b, type = RFFT, length = [90, 210] : (tensor<3x90x210xf32>) -> tensor<3x90x106xcomplex<f32>>
  %2 = stablehlo.multiply %1, %1 : tensor<3x90x106xcomplex<f32>>
  %3 = stablehlo.fft %2, type = IRFFT, length = [90, 210] : (tensor<3x90x106xcomplex<f32>>) -> tensor<3x90x210xf32>
  %z = stablehlo.constant dense<0.5> : tensor<32x24x40xf64>
  %4 = stablehlo.complex %c, %z : tensor<32x24x40xcomplex<f64>>
  %5 = stablehlo.fft %4, type = FFT, length = [32, 24, 40] : (tensor<32x24x40xcomplex<f64>>) -> tensor<32x24x40xcomplex<f64>>
  %6 = stablehlo.fft %5, type = IFFT, length = [32, 24, 40] : (tensor<32x24x40xcomplex<f64>>) -> tensor<32x24x40xcomplex<f64>>
  %i = stablehlo.imag %5 : (tensor<32x24x40xcomplex<f64>>) -> tensor<32x24x40xf64>
  %b6 = stablehlo.real %6 : (tensor<32x24x40xcomplex<f64>>) -> tensor<32x24x40xf64>
  return %r, %3, %i, %b6 : tensor<128x66xf32>, tensor<3x90x210xf32>, tensor<32x24x40xf64>, tensor<32x24x40xf64>
}
