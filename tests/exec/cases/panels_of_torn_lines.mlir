// Products whose rows and columns are two dimensions, along the inner one of which memory runs: a panel of them
// begins in one run of memory and ends in the next. Some of the ends read memory of other shapes.
// tolerance: 1e-4
func.func @main(
    %x: tensor<3x6x8x50xf32>, %w: tensor<48x80xf32>, %heads: tensor<48x3x37xf32>, %y: tensor<150x48xf32>,
    %narrow: tensor<5x64x45xbf16>, %weights: tensor<64x4x37xbf16>, %bytes: tensor<3x64x45xi8>,
    %factors: tensor<64x96xi8>, %bias: tensor<80xf32>, %rest: tensor<3x50x80xf32>, %scale: tensor<3x50xf32>,
    %table: tensor<20x80xf32>, %rows: tensor<150xi32>)
    -> (tensor<3x50x80xf32>, tensor<150x3x37xf32>, tensor<5x45x4x37xf32>, tensor<3x45x96xi32>, tensor<150x80xf32>) {
  %0 = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<3x6x8x50xf32>) -> tensor<3x50x6x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x50x6x8xf32>) -> tensor<3x50x48xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [2] x [0] : (tensor<3x50x48xf32>, tensor<48x80xf32>) -> tensor<3x50x80xf32>
  %3 = stablehlo.broadcast_in_dim %bias, dims = [2] : (tensor<80xf32>) -> tensor<3x50x80xf32>
  %4 = stablehlo.broadcast_in_dim %scale, dims = [0, 1] : (tensor<3x50xf32>) -> tensor<3x50x80xf32>
  %5 = stablehlo.add %2, %3 : tensor<3x50x80xf32>
  %6 = stablehlo.multiply %5, %4 : tensor<3x50x80xf32>
  %7 = stablehlo.add %6, %rest : tensor<3x50x80xf32>
  %8 = stablehlo.dot_general %y, %heads, contracting_dims = [1] x [0] : (tensor<150x48xf32>, tensor<48x3x37xf32>) -> tensor<150x3x37xf32>
  %9 = stablehlo.transpose %narrow, dims = [0, 2, 1] : (tensor<5x64x45xbf16>) -> tensor<5x45x64xbf16>
  %10 = stablehlo.dot_general %9, %weights, contracting_dims = [2] x [0] : (tensor<5x45x64xbf16>, tensor<64x4x37xbf16>) -> tensor<5x45x4x37xf32>
  %11 = stablehlo.transpose %bytes, dims = [0, 2, 1] : (tensor<3x64x45xi8>) -> tensor<3x45x64xi8>
  %12 = stablehlo.dot_general %11, %factors, contracting_dims = [2] x [0] : (tensor<3x45x64xi8>, tensor<64x96xi8>) -> tensor<3x45x96xi32>
  %13 = stablehlo.reshape %rest : (tensor<3x50x80xf32>) -> tensor<150x80xf32>
  %14 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<150x48xf32>, tensor<48x80xf32>) -> tensor<150x80xf32>
  %15 = stablehlo.reverse %13, dims = [0] : tensor<150x80xf32>
  %16 = stablehlo.subtract %14, %15 : tensor<150x80xf32>
  %17 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 80>}> : (tensor<20x80xf32>, tensor<150xi32>) -> tensor<150x80xf32>
  %18 = stablehlo.add %16, %17 : tensor<150x80xf32>
  return %7, %8, %10, %12, %18 : tensor<3x50x80xf32>, tensor<150x3x37xf32>, tensor<5x45x4x37xf32>, tensor<3x45x96xi32>, tensor<150x80xf32>
}
