// A batched gather whose rows are padded over the devices: each column is read at a row of its own, and some devices have padding instead.
sdy.mesh @mesh = <["y"=4]>
func.func @main(%v1: tensor<3x42xi32>, %v2: tensor<42xi32>) -> (tensor<2x42xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}]>}) {
  %h0 = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %v3 = "stablehlo.dynamic_gather"(%v1, %v2, %h0) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<3x42xi32>, tensor<42xi32>, tensor<2xi64>) -> tensor<2x42xi32>
  %i = stablehlo.constant dense<5> : tensor<1x1xi32>
  %u = stablehlo.constant dense<1> : tensor<2x1xi32>
  %0 = "stablehlo.scatter"(%v3, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %s = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<2x42xi32>, tensor<1x1xi32>, tensor<2x1xi32>) -> tensor<2x42xi32>
  return %0 : tensor<2x42xi32>
}
