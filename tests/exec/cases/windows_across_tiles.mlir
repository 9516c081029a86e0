// Gathers and scatters of windows in sharded dimensions: across borders of tiles, clamped or left out at the ends, beside masked ones.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<40x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<61x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %u: tensor<8x3x6xf32>, %v: tensor<8x5x4xi32>) -> (tensor<5x3x6xf32>, tensor<4x4xi32>, tensor<40x6xf32>, tensor<61x4xi32>) {
  %i = stablehlo.constant dense<[8, 37, 100, -4, 19]> : tensor<5xi32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3, 6>}> : (tensor<40x6xf32>, tensor<5xi32>) -> tensor<5x3x6xf32>
  %k = stablehlo.constant dense<[[14, 3], [57, 0], [-9, 9], [30, 2]]> : tensor<4x2xi32>
  %1 = "stablehlo.gather"(%b, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 4, 1>}> : (tensor<61x4xi32>, tensor<4x2xi32>) -> tensor<4x4xi32>
  %s = stablehlo.constant dense<[[8], [37], [38], [-1], [19], [0], [9], [18]]> : tensor<8x1xi32>
  %2 = "stablehlo.scatter"(%a, %s, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<40x6xf32>, tensor<8x1xi32>, tensor<8x3x6xf32>) -> tensor<40x6xf32>
  %w = stablehlo.constant dense<[[13], [56], [57], [-3], [28], [0], [45], [14]]> : tensor<8x1xi32>
  %3 = "stablehlo.scatter"(%b, %w, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %q : tensor<i32>
  }) : (tensor<61x4xi32>, tensor<8x1xi32>, tensor<8x5x4xi32>) -> tensor<61x4xi32>
  return %0, %1, %2, %3 : tensor<5x3x6xf32>, tensor<4x4xi32>, tensor<40x6xf32>, tensor<61x4xi32>
}
