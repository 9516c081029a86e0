// Few rows: whole vectors of the columns are read where they lie in memory, a part of a larger array among them, over several blocks of K.
// tolerance: 1e-4
func.func @main(%a: tensor<3x40x300xf32>, %b: tensor<3x300x80xf32>, %c: tensor<70x1200xf64>, %d: tensor<1200x48xf64>, %e: tensor<64x64xf32>, %f: tensor<80x192xf32>) -> (tensor<3x40x80xf32>, tensor<70x48xf64>, tensor<64x128xf32>, tensor<3x80x40xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x40x300xf32>, tensor<3x300x80xf32>) -> tensor<3x40x80xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<70x1200xf64>, tensor<1200x48xf64>) -> tensor<70x48xf64>
  %part = stablehlo.slice %f [10:74, 32:160] : (tensor<80x192xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.dot_general %e, %part, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %tanh = stablehlo.tanh %0 : tensor<3x40x80xf32>
  %3 = stablehlo.dot_general %b, %a, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<3x300x80xf32>, tensor<3x40x300xf32>) -> tensor<3x80x40xf32>
  return %tanh, %1, %2, %3 : tensor<3x40x80xf32>, tensor<70x48xf64>, tensor<64x128xf32>, tensor<3x80x40xf32>
}
