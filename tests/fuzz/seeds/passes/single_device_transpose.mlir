// Two transposes of what lives on one device.
sdy.mesh @alone = <[], device_ids=[0]>
func.func @main(%x: tensor<3x5xf32> {sdy.sharding = #sdy.sharding<@alone, []>}) -> tensor<3x5xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
  %b = stablehlo.transpose %t, dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
  return %b : tensor<3x5xf32>
}
