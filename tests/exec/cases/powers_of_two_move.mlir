// f8E8M0FNU has no zero: the devices' parts of what is moved are not added.
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func public @main(%i: tensor<4x1xi32>, %j: tensor<i32>) -> (tensor<4xf32>, tensor<3xf32>, tensor<4x2xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<96xui8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<96xui8>) -> tensor<96xf8E8M0FNU>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}]> : tensor<96xf8E8M0FNU>
  %3 = "stablehlo.gather"(%2, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<96xf8E8M0FNU>, tensor<4x1xi32>) -> tensor<4xf8E8M0FNU>
  %4 = stablehlo.dynamic_slice %2, %j, sizes = [3] : (tensor<96xf8E8M0FNU>, tensor<i32>) -> tensor<3xf8E8M0FNU>
  %5 = "stablehlo.gather"(%2, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2>}> : (tensor<96xf8E8M0FNU>, tensor<4x1xi32>) -> tensor<4x2xf8E8M0FNU>
  %6 = stablehlo.convert %3 : (tensor<4xf8E8M0FNU>) -> tensor<4xf32>
  %7 = stablehlo.convert %4 : (tensor<3xf8E8M0FNU>) -> tensor<3xf32>
  %8 = stablehlo.convert %5 : (tensor<4x2xf8E8M0FNU>) -> tensor<4x2xf32>
  return %6, %7, %8 : tensor<4xf32>, tensor<3xf32>, tensor<4x2xf32>
}
