// Sums over many rows, as in gradients of weights, are made in parts that are added up.
// tolerance: 2e-3
func.func @main(%a: tensor<2048x96xf32>, %b: tensor<2048x40xf32>, %c: tensor<60x2100xbf16>, %d: tensor<2100x72xbf16>) -> (tensor<96x40xf32>, tensor<60x72xbf16>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2048x96xf32>, tensor<2048x40xf32>) -> tensor<96x40xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<60x2100xbf16>, tensor<2100x72xbf16>) -> tensor<60x72xbf16>
  return %0, %1 : tensor<96x40xf32>, tensor<60x72xbf16>
}
