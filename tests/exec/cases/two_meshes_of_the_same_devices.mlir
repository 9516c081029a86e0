// One order of devices under two names for its axes: the digits of the one are those of the other.
sdy.mesh @m1 = <["x"=4, "y"=2]>
sdy.mesh @m2 = <["d"=8]>
func.func public @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}, {"y"}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m2, [{"d"}, {}]>}) {
 %0 = stablehlo.add %a, %a : tensor<64x64xf32>
 return %0 : tensor<64x64xf32>
}
