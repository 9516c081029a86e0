// Sums over two dimensions of which the last is short, beside one that stays: by 8 rows together, what is left of them, several sums, and narrow floats.
// tolerance: 1e-4
func.func @main(%x: tensor<3x45x6x16xf32>, %y: tensor<9x2x21x5x7xbf16>, %z: tensor<4x8x3x64xf64>) -> (tensor<3x6xf32>, tensor<3x6xf32>, tensor<9x5xbf16>, tensor<4x3xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zb = stablehlo.constant dense<0.0> : tensor<bf16>
  %zd = stablehlo.constant dense<1.5> : tensor<f64>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1, 3] : (tensor<3x45x6x16xf32>, tensor<f32>) -> tensor<3x6xf32>
  %s = stablehlo.multiply %x, %x : tensor<3x45x6x16xf32>
  %1 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1, 3] : (tensor<3x45x6x16xf32>, tensor<f32>) -> tensor<3x6xf32>
  %2 = stablehlo.reduce(%y init: %zb) applies stablehlo.add across dimensions = [1, 2, 4] : (tensor<9x2x21x5x7xbf16>, tensor<bf16>) -> tensor<9x5xbf16>
  %3 = stablehlo.reduce(%z init: %zd) applies stablehlo.add across dimensions = [1, 3] : (tensor<4x8x3x64xf64>, tensor<f64>) -> tensor<4x3xf64>
  return %0, %1, %2, %3 : tensor<3x6xf32>, tensor<3x6xf32>, tensor<9x5xbf16>, tensor<4x3xf64>
}
