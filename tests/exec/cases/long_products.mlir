// Sums over many k's with few results: in parts, of one and of several contracted dimensions, with batches, of bf16, and a scalar product.
// tolerance: 2e-3
func.func @main(%a: tensor<3x20000xf32>, %b: tensor<20000x5xf32>, %c: tensor<2x20x3x4100xbf16>, %d: tensor<2x4100x3x7xbf16>, %e: tensor<100000xf32>) -> (tensor<3x5xf32>, tensor<2x20x7xbf16>, tensor<f32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x20000xf32>, tensor<20000x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [2, 3] x [2, 1] : (tensor<2x20x3x4100xbf16>, tensor<2x4100x3x7xbf16>) -> tensor<2x20x7xbf16>
  %2 = stablehlo.dot_general %e, %e, contracting_dims = [0] x [0] : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<3x5xf32>, tensor<2x20x7xbf16>, tensor<f32>
}
