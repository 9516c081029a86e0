// RUN: --shardc-import-shardings
// The mesh is the coarsest one that expresses every tiling; dimensions that are left to the compiler are open; a list is read as the
// iota that it is.
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%arg0: tensor<16x64xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"}, %arg1: tensor<16x64xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"}) -> (tensor<16x64xf32> {mhlo.sharding = "{maximal device=3}"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %1 = stablehlo.add %0, %arg1 {mhlo.sharding = "{devices=[2,2,2]<=[8] last_tile_dims={unreduced}}"} : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2, "_axis_2"=2]>
  func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1", "_axis_2"}, {}]>}, %arg1: tensor<16x64xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"_axis_0"}, {?}]> : tensor<16x64xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"_axis_0"}, {"_axis_1"}], unreduced={"_axis_2"}>]>} : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
