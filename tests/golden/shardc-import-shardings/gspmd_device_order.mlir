// RUN: --shardc-import-shardings
// A list that is no transpose of the devices is the mesh's order of devices; the others are read in that order.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]3,2,0,1}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]2,3,0,1 last_tile_dim_replicate}"}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2], device_ids=[3, 2, 0, 1]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
