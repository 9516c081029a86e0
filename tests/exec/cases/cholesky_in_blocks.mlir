// tolerance: 2e-5
// Factors of matrices in tiles: lower ones in rows, upper ones in columns, several at once, devices in another order.
sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[3, 1, 0, 2, 7, 5, 6, 4]>
func.func @main(%a: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %b: tensor<3x256x256xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}) -> (tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<3x256x256xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %i = stablehlo.iota dim = 0 : tensor<256x256xi32>
  %j = stablehlo.iota dim = 1 : tensor<256x256xi32>
  %d = stablehlo.compare EQ, %i, %j : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi1>
  %u = stablehlo.constant dense<256.0> : tensor<256x256xf32>
  %z = stablehlo.constant dense<0.0> : tensor<256x256xf32>
  %e = stablehlo.select %d, %u, %z : tensor<256x256xi1>, tensor<256x256xf32>
  %1 = stablehlo.add %0, %e {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>} : tensor<256x256xf32>
  %2 = stablehlo.cholesky %1, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {}]>]>} : tensor<256x256xf32>
  %3 = stablehlo.add %1, %z {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}]>]>} : tensor<256x256xf32>
  %4 = stablehlo.cholesky %3, lower = false {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x", "y"}]>]>} : tensor<256x256xf32>
  %w = stablehlo.convert %e : (tensor<256x256xf32>) -> tensor<256x256xf64>
  %e3 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<256x256xf64>) -> tensor<3x256x256xf64>
  %5 = stablehlo.add %b, %e3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}]>]>} : tensor<3x256x256xf64>
  %6 = stablehlo.cholesky %5, lower = false {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"y"}]>]>} : tensor<3x256x256xf64>
  return %2, %4, %6 : tensor<256x256xf32>, tensor<256x256xf32>, tensor<3x256x256xf64>
}
