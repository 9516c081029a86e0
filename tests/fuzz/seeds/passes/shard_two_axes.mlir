// RUN: --test-grid-resharding-partition
// On two axes: one moves, one is gathered.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %a = shard.sharding @g split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %x to %a : tensor<16x8xf32>
  %b = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %1 = shard.shard %0 to %b annotate_for_users : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
