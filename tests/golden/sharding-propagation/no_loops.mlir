// RUN: not --sharding-propagation
// An op whose loops are not known is named.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x16xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
// ---- expect
no_loops.mlir:7:8: error: 'tosa.transpose' op sharding interface is not implemented.
    %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
         ^
