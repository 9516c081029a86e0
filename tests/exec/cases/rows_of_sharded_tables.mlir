// Rows of tables that devices share by rows: of 50 rows, which four devices do not divide, of places outside of the table, of rows that devices keep apart afterwards, and of a table that is computed.
// tolerance: 1e-6
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%t: tensor<50x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %u: tensor<40x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %i: tensor<24xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, tensor<24x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<24x12xf32>) {
  %n = stablehlo.iota dim = 0 : tensor<24xi32>
  %k = stablehlo.constant dense<3> : tensor<24xi32>
  %m = stablehlo.multiply %n, %k : tensor<24xi32>
  %c5 = stablehlo.constant dense<-5> : tensor<24xi32>
  %p = stablehlo.add %m, %c5 : tensor<24xi32>
  %q = stablehlo.add %p, %i : tensor<24xi32>
  %j = stablehlo.reshape %q : (tensor<24xi32>) -> tensor<24x1xi32>
  %0 = "stablehlo.gather"(%t, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 12>}> : (tensor<50x12xf32>, tensor<24x1xi32>) -> tensor<24x12xf32>
  %1 = "stablehlo.gather"(%u, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 12>}> : (tensor<40x12xf32>, tensor<24x1xi32>) -> tensor<24x12xf32>
  %v = stablehlo.tanh %u : tensor<40x12xf32>
  %2 = "stablehlo.gather"(%v, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 12>}> : (tensor<40x12xf32>, tensor<24x1xi32>) -> tensor<24x12xf32>
  return %0, %1, %2 : tensor<24x12xf32>, tensor<24x12xf32>, tensor<24x12xf32>
}
