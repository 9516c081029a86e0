// An argument that does not divide is gathered.
sdy.mesh @row = <["w"=4]>
func.func @main(%x: tensor<9x5xf32> {sdy.sharding = #sdy.sharding<@row, [{"w"}, {}]>}) -> tensor<9x5xf32> {
  %g = sdy.all_gather [{"w"}, {}] %x out_sharding=<@row, [{}, {}]> : tensor<9x5xf32>
  return %g : tensor<9x5xf32>
}
