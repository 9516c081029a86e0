// RUN: not --shardc-import-sources
shard.grid @g(shape = 4)
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s = shard.send %x on @g grid_axes = [0] destination = [1] : (tensor<3xf32>) -> tensor<3xf32>
  %r = shard.recv %s on @g grid_axes = [0] : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// ---- expect
receive_without_source.mlir:4:8: error: 'shard.send' op needs a shard.recv with a source behind a shard.send of the same type along the same grid axes, in one block
    %s = shard.send %x on @g grid_axes = [0] destination = [1] : (tensor<3xf32>) -> tensor<3xf32>
         ^
