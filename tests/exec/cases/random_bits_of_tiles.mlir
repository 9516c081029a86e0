// Every device makes the random bits of its tile: blocks of the ciphers cross the borders of tiles, tiles are uneven.
sdy.mesh @mesh = <["x"=2, "y"=3], device_ids=[3, 1, 0, 2, 5, 4]>
func.func @main(%s0: tensor<2xui64>, %s1: tensor<6xui32>, %s2: tensor<2xui64>, %s3: tensor<4xui32>, %s4: tensor<2xui64>, %s5: tensor<2xui64>) -> (tensor<2xui64>, tensor<96x40xui32>, tensor<6xui32>, tensor<7x30xui16>, tensor<2xui64>, tensor<48x9xui32>, tensor<4xui32>, tensor<15x9xi8>, tensor<2xui64>, tensor<24x16xui64>, tensor<2xui64>, tensor<24x16xi64>) {
  %0:2 = "stablehlo.rng_bit_generator"(%s0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"x"}, {"y"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<96x40xui32>)
  %c0 = sdy.sharding_constraint %0#1 <@mesh, [{"x"}, {"y"}]> : tensor<96x40xui32>
  %1:2 = "stablehlo.rng_bit_generator"(%s1) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}, {"y", "x"}]>]>} : (tensor<6xui32>) -> (tensor<6xui32>, tensor<7x30xui16>)
  %c1 = sdy.sharding_constraint %1#1 <@mesh, [{}, {"y", "x"}]> : tensor<7x30xui16>
  %2:2 = "stablehlo.rng_bit_generator"(%s2) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<48x9xui32>)
  %c2 = sdy.sharding_constraint %2#1 <@mesh, [{"x"}, {}]> : tensor<48x9xui32>
  %3:2 = "stablehlo.rng_bit_generator"(%s3) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"y"}, {"x"}]>]>} : (tensor<4xui32>) -> (tensor<4xui32>, tensor<15x9xi8>)
  %c3 = sdy.sharding_constraint %3#1 <@mesh, [{"y"}, {"x"}]> : tensor<15x9xi8>
  %4:2 = "stablehlo.rng_bit_generator"(%s4) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"y"}, {"x"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<24x16xui64>)
  %c4 = sdy.sharding_constraint %4#1 <@mesh, [{"y"}, {"x"}]> : tensor<24x16xui64>
  %5:2 = "stablehlo.rng_bit_generator"(%s5) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"x"}, {"y"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<24x16xi64>)
  %c5 = sdy.sharding_constraint %5#1 <@mesh, [{"x"}, {"y"}]> : tensor<24x16xi64>
  return %0#0, %c0, %1#0, %c1, %2#0, %c2, %3#0, %c3, %4#0, %c4, %5#0, %c5 : tensor<2xui64>, tensor<96x40xui32>, tensor<6xui32>, tensor<7x30xui16>, tensor<2xui64>, tensor<48x9xui32>, tensor<4xui32>, tensor<15x9xi8>, tensor<2xui64>, tensor<24x16xui64>, tensor<2xui64>, tensor<24x16xi64>
}
