// tolerance: 2e-3
// Columns that do not fill the last panel, few rows with several blocks of K, a transposed left operand with few columns, and columns of one device: rows with gaps.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<100x600xf32>, %b: tensor<600x40xf32>, %c: tensor<60x1300xf32>, %d: tensor<1300x300xf32>, %e: tensor<2x600x90xf64>, %f: tensor<2x600x50xf64>, %g: tensor<100x128xbf16>, %h: tensor<128x40xbf16>, %i: tensor<70x1056xbf16>, %j: tensor<1056x90xbf16>, %k: tensor<65x96xi8>, %l: tensor<96x70xi8>, %m: tensor<1x700xf32>, %n: tensor<700x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<100x40xf32>, tensor<60x300xf32>, tensor<2x90x50xf64>, tensor<100x40xbf16>, tensor<70x90xf32>, tensor<65x70xi32>, tensor<1x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<100x600xf32>, tensor<600x40xf32>) -> tensor<100x40xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<60x1300xf32>, tensor<1300x300xf32>) -> tensor<60x300xf32>
  %2 = stablehlo.dot_general %e, %f, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x600x90xf64>, tensor<2x600x50xf64>) -> tensor<2x90x50xf64>
  %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0] : (tensor<100x128xbf16>, tensor<128x40xbf16>) -> tensor<100x40xbf16>
  %4 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [0] : (tensor<70x1056xbf16>, tensor<1056x90xbf16>) -> tensor<70x90xf32>
  %5 = stablehlo.dot_general %k, %l, contracting_dims = [1] x [0] : (tensor<65x96xi8>, tensor<96x70xi8>) -> tensor<65x70xi32>
  %6 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0] : (tensor<1x700xf32>, tensor<700x384xf32>) -> tensor<1x384xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<100x40xf32>, tensor<60x300xf32>, tensor<2x90x50xf64>, tensor<100x40xbf16>, tensor<70x90xf32>, tensor<65x70xi32>, tensor<1x384xf32>
}
