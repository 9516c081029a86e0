// RUN: --shard-partition
// A halo along the second dimension: own elements in a larger tensor, whose borders the neighbours fill.
shard.grid @line(shape = 6)
func.func @main(%x: tensor<10x48xf32>) -> tensor<10x48xf32> {
  %a = shard.sharding @line split_axes = [[], [0]] : !shard.sharding
  %xs = shard.shard %x to %a : tensor<10x48xf32>
  %b = shard.sharding @line split_axes = [[], [0]] halo_sizes = [1, 2] : !shard.sharding
  %xw = shard.shard %xs to %b annotate_for_users : tensor<10x48xf32>
  return %xw : tensor<10x48xf32>
}
