// RUN: not --sdy-convert-global-to-local
// A mesh over some of the devices is refused.
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @all = <["x"=4]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
// ---- expect
unknown_mesh_size.mlir:6:19: error: mesh @mesh has 2 devices, but the program runs on 4: a mesh over some of the devices is not supported
    func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
                    ^
