// Collectives along an axis of one device.
sdy.mesh @thin = <["one"=1, "two"=2]>
func.func @main(%x: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %s = sdy.all_slice [{"one"}, {"two"}] %x out_sharding=<@thin, [{"one"}, {"two"}]> : tensor<5x9xf32>
  %g = sdy.all_gather [{}, {"two"}] %s out_sharding=<@thin, [{"one"}, {}]> : tensor<5x9xf32>
  return %g : tensor<5x9xf32>
}
