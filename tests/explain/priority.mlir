// Who came first: a user priority; a cheap op before a matrix product; of one product the larger factor.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}p0]>},
    %c: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %d: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}, %e: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
    -> (tensor<8x8xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  %sum = stablehlo.add %a, %b : tensor<8x8xf32>
  %large = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %again = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %cheap = stablehlo.multiply %again, %e : tensor<8x32xf32>
  return %sum, %large, %cheap : tensor<8x8xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}
