// A sum over "x" is asked for in parts, but the contraction gives up "x" for a dimension of the result: it makes no parts.
sdy.mesh @mesh = <["w"=2, "x"=2]>
func.func public @main(
    %v2: tensor<2x2x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}, {?}p2]>},
    %v3: tensor<6x2x6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"w"}, {}, {}]>}) -> (tensor<3x6x6xi32>) {
  %u4 = stablehlo.dot_general %v2, %v3, contracting_dims = [0, 1] x [3, 1], precision = [DEFAULT, HIGHEST] : (tensor<2x2x3xi32>, tensor<6x2x6x2xi32>) -> tensor<3x6x6xi32>
  %v4 = sdy.sharding_constraint %u4 <@mesh, [{}, {}, {"w"}], unreduced={"x"}> : tensor<3x6x6xi32>
  return %v4 : tensor<3x6x6xi32>
}
