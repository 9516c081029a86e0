// A function that calls collectives is one device's: tiles of all devices are stacked in a new first dimension.
mesh.mesh @m(shape = 2)
func.func @main(%x: tensor<4xi32>) -> tensor<4xi64> {
  %0 = mesh.all_reduce %x on @m mesh_axes = [0] reduction = <max> : tensor<4xi32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
