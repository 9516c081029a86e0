// RUN: --import-gspmd
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]0,3,5,6,1,2,4,7 last_tile_dim_replicate}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}"}, %arg2: tensor<8xf32> {mhlo.sharding = "{replicated shard_as 2}"}) -> tensor<8xf32> {
  %0 = stablehlo.add %arg1, %arg2 {mhlo.sharding = "{unknown shard_as 2}"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=4], device_ids=[0, 3, 5, 6, 1, 2, 4, 7]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    sdy.sharding_group %arg2 group_id=2 : tensor<8xf32>
    %0 = stablehlo.add %arg1, %arg2 : tensor<8xf32>
    sdy.sharding_group %0 group_id=2 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
