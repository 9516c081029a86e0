// RUN: not --shard-partition
// What no annotation says is an error, with the way out.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %s annotate_for_users : tensor<8xf32>
  %0 = tosa.add %xs, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- expect
not_annotated.mlir:7:8: error: 'tosa.add' op has an operand that is not annotated; run sharding-propagation
    %0 = tosa.add %xs, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
         ^
