// RUN: --shardc-canonicalize-shard
// A collective without axes is its operand where the type is the same.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf64>) {
  %0 = shard.all_gather %x on @g gather_axis = 0 : tensor<4xf32> -> tensor<4xf32>
  %1 = shard.all_reduce %x on @g grid_axes = [] reduction = sum : tensor<4xf32> -> tensor<4xf64>
  return %0, %1 : tensor<4xf32>, tensor<4xf64>
}
// ---- expect
module {
  shard.grid @g(shape = 2x4)
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf64>) {
    %0 = shard.all_reduce %arg0 on @g : tensor<4xf32> -> tensor<4xf64>
    return %arg0, %0 : tensor<4xf32>, tensor<4xf64>
  }
}
