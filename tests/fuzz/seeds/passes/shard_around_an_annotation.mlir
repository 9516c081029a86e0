// RUN: --sharding-propagation
// Operands are annotated for their user, results as they are made.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = tosa.add %x, %y : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
