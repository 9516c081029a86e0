// RUN: --test-grid-simplifications
// all_reduce compares integers with sign: of -1 and 1 the maximum is 1, but -1 to arith.maxui. So that one stays behind.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<5xi32>, %y: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
  %1 = shard.all_reduce %y on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
  %2 = arith.maxui %0, %1 : tensor<5xi32>
  %3 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
  %4 = shard.all_reduce %y on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
  %5 = arith.maxsi %3, %4 : tensor<5xi32>
  return %2, %5 : tensor<5xi32>, tensor<5xi32>
}
// ---- expect
module {
  shard.grid @g(shape = 2)
  func.func @main(%arg0: tensor<5xi32>, %arg1: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
    %0 = shard.all_reduce %arg0 on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
    %1 = shard.all_reduce %arg1 on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
    %2 = arith.maxui %0, %1 : tensor<5xi32>
    %3 = arith.maxsi %arg0, %arg1 : tensor<5xi32>
    %4 = shard.all_reduce %3 on @g grid_axes = [0] reduction = max : tensor<5xi32> -> tensor<5xi32>
    return %2, %4 : tensor<5xi32>, tensor<5xi32>
  }
}
