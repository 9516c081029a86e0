// RUN: --sharding-propagation
// Operands are annotated for their user, results as they are made.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = tosa.add %x, %y : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// ---- expect
module {
  shard.grid @g(shape = 2x4)
  func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
    %1 = shard.shard %arg0 to %0 annotate_for_users : tensor<8x16xf32>
    %2 = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
    %3 = shard.shard %arg1 to %2 annotate_for_users : tensor<8x16xf32>
    %4 = tosa.add %1, %3 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
    %6 = shard.shard %4 to %5 : tensor<8x16xf32>
    return %6 : tensor<8x16xf32>
  }
}
