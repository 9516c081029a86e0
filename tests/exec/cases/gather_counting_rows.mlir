// Row indices that count along with the rows: a batching dimension, sharded without communication.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<4x3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x3xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<4xi32>
  %n = stablehlo.constant dense<4> : tensor<4xi32>
  %1 = stablehlo.compare LT, %0, %z : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %2 = stablehlo.add %0, %n : tensor<4xi32>
  %3 = stablehlo.select %1, %2, %0 : tensor<4xi1>, tensor<4xi32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xi32>) -> tensor<4x3x1xi32>
  %i = stablehlo.concatenate %4, %c, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
