// Rows that are concatenated, padded, sliced and looked up along a sharded dimension: a small part before a large one, two large parts, a part of each row of tiles that do not divide, slices at computed places, more rows looked up than there are.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<40x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<30x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<2x6xf32>, %i: tensor<i32>, %r: tensor<64x1xi32>) -> (tensor<40x6xf32>, tensor<70x6xf32>, tensor<42x6xf32>, tensor<9x6xf32>, tensor<40x6xf32>, tensor<64x6xf32>, tensor<48x6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.constant dense<2.5> : tensor<f32>
  %cs = stablehlo.constant dense<1.5> : tensor<1x6xf32>
  %front = stablehlo.slice %x [0:39, 0:6] : (tensor<40x6xf32>) -> tensor<39x6xf32>
  %0 = stablehlo.concatenate %cs, %front, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<1x6xf32>, tensor<39x6xf32>) -> tensor<40x6xf32>
  %1 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<40x6xf32>, tensor<30x6xf32>) -> tensor<70x6xf32>
  %2 = stablehlo.concatenate %x, %s, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<40x6xf32>, tensor<2x6xf32>) -> tensor<42x6xf32>
  %3 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [9, 6] : (tensor<40x6xf32>, tensor<i32>, tensor<i32>) -> tensor<9x6xf32>
  %p = stablehlo.pad %x, %c, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<40x6xf32>, tensor<f32>) -> tensor<42x6xf32>
  %p0 = stablehlo.slice %p [0:40, 0:6] : (tensor<42x6xf32>) -> tensor<40x6xf32>
  %p2 = stablehlo.slice %p [2:42, 0:6] : (tensor<42x6xf32>) -> tensor<40x6xf32>
  %4 = stablehlo.subtract %p2, %p0 : tensor<40x6xf32>
  %5 = "stablehlo.gather"(%x, %r) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<40x6xf32>, tensor<64x1xi32>) -> tensor<64x6xf32>
  %6 = stablehlo.concatenate %s, %s, %x, %s, %s, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<2x6xf32>, tensor<2x6xf32>, tensor<40x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<48x6xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<40x6xf32>, tensor<70x6xf32>, tensor<42x6xf32>, tensor<9x6xf32>, tensor<40x6xf32>, tensor<64x6xf32>, tensor<48x6xf32>
}
