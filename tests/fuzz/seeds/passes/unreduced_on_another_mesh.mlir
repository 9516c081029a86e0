// Two meshes over the same devices.
sdy.mesh @rows = <["x"=4]>
sdy.mesh @grid = <["a"=2, "b"=2]>
func.func @main(%p: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@rows, [{"x"}, {}]>}, %q: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@grid, [{"a"}, {"b"}]>}) -> tensor<16x16xf32> {
  %0 = stablehlo.tanh %q {sdy.sharding = #sdy.sharding_per_value<[<@rows, [{}, {}], unreduced={"x"}>]>} : tensor<16x16xf32>
  %1 = stablehlo.add %p, %0 : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
