// RUN: --test-mesh-resharding-spmdization
// On two axes: one moves, one is gathered.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<16x8xf32>
  %b = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %1 = shard.shard %0 to %b annotate_for_users : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
// ---- expect
module {
  shard.grid @g(shape = 2x4)
  func.func @main(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %0 = builtin.unrealized_conversion_cast %arg0 : tensor<16x8xf32> to tensor<2x8xf32>
    %1 = shard.all_to_all %0 on @g grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<2x8xf32> -> tensor<8x2xf32>
    %2 = shard.all_gather %1 on @g grid_axes = [0] gather_axis = 0 : tensor<8x2xf32> -> tensor<16x2xf32>
    %3 = builtin.unrealized_conversion_cast %2 : tensor<16x2xf32> to tensor<16x8xf32>
    return %3 : tensor<16x8xf32>
  }
}
