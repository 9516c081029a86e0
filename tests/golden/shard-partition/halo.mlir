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
// ---- expect
module {
  shard.grid @line(shape = 6)
  func.func @main(%arg0: tensor<10x8xf32>) -> tensor<10x11xf32> {
    %0 = tensor.empty() : tensor<10x11xf32>
    %1 = tensor.insert_slice %arg0 into %0[0, 1] [10, 8] [1, 1] : tensor<10x8xf32> into tensor<10x11xf32>
    %2 = shard.update_halo %1 on @line split_axes = [[], [0]] halo_sizes = [1, 2] : tensor<10x11xf32>
    return %2 : tensor<10x11xf32>
  }
}
