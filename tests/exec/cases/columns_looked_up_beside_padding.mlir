// Columns of a padded array, each looked up at a row of its own: some rows are padding, some elements.
func.func @main(%x: tensor<3x42xi32>, %at: tensor<42xi32>) -> tensor<1x42xi32> {
  %zero = stablehlo.constant dense<7> : tensor<i32>
  %four = stablehlo.constant dense<5> : tensor<42xi32>
  %row = stablehlo.remainder %at, %four : tensor<42xi32>
  %padded = stablehlo.pad %x, %zero, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<3x42xi32>, tensor<i32>) -> tensor<5x42xi32>
  %0 = "stablehlo.gather"(%padded, %row) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x42xi32>, tensor<42xi32>) -> tensor<1x42xi32>
  return %0 : tensor<1x42xi32>
}
