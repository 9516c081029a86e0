// Places of two numbers, of which one says whose part it is: elements are read from all devices' parts. Images of a batch that each have their places, too.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %i: tensor<10x2xi32>, %m: tensor<2x64x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %j: tensor<2x5x2xi32>) -> (tensor<10xf32>, tensor<2x5x4xf32>) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<32x16xf32>, tensor<10x2xi32>) -> tensor<10xf32>
  %1 = "stablehlo.gather"(%m, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<2x64x8x4xf32>, tensor<2x5x2xi32>) -> tensor<2x5x4xf32>
  return %0, %1 : tensor<10xf32>, tensor<2x5x4xf32>
}
