// RUN: --sharding-propagation=traversal=forward
// Forward alone: the sum of parts along a sharded loop is whole.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<8x6xf32>, %w: tensor<6x4xf32>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x6xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<8x6xf32>, tensor<6x4xf32>) outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// ---- expect
module {
  shard.grid @g(shape = 2)
  func.func @main(%arg0: tensor<8x6xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
    %1 = shard.shard %arg0 to %0 : tensor<8x6xf32>
    %2 = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
    %3 = shard.shard %1 to %2 annotate_for_users : tensor<8x6xf32>
    %4 = shard.sharding @g split_axes = [[0]] : !shard.sharding
    %5 = shard.shard %arg1 to %4 annotate_for_users : tensor<6x4xf32>
    %6 = shard.sharding @g split_axes = [[]] : !shard.sharding
    %7 = shard.shard %arg2 to %6 annotate_for_users : tensor<8x4xf32>
    %8 = linalg.matmul ins(%3, %5 : tensor<8x6xf32>, tensor<6x4xf32>) outs(%7 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %9 = shard.sharding @g split_axes = [[]] : !shard.sharding
    %10 = shard.shard %8 to %9 : tensor<8x4xf32>
    return %10 : tensor<8x4xf32>
  }
}
