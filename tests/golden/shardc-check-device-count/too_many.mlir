// RUN: not --shardc-check-device-count
// A program for very many devices is refused.
sdy.mesh @mesh = <["x"=8192]>
func.func @main(%arg0: tensor<8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8192xf32> {
  return %arg0 : tensor<8192xf32>
}
// ---- expect
too_many.mlir:1:1: error: programs for more than 4096 devices are not supported; the mesh has 8192
  // RUN: not --shardc-check-device-count
  ^
