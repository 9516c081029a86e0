// RUN: --test-grid-simplifications
// The maximum of two maxima among the same devices is one; sizes that are known are constants.
shard.grid @g(shape = 4x?)
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, index, index) {
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<5xf32> -> tensor<5xf32>
  %1 = shard.all_reduce %y on @g grid_axes = [0] reduction = max : tensor<5xf32> -> tensor<5xf32>
  %2 = arith.maximumf %0, %1 : tensor<5xf32>
  %3:2 = shard.grid_shape @g : index, index
  return %2, %3#0, %3#1 : tensor<5xf32>, index, index
}
// ---- expect
module {
  shard.grid @g(shape = 4x?)
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> (tensor<5xf32>, index, index) {
    %0 = arith.maximumf %arg0, %arg1 : tensor<5xf32>
    %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = max : tensor<5xf32> -> tensor<5xf32>
    %2 = shard.grid_shape @g axes = [1] : index
    %3 = arith.constant 4 : index
    return %1, %3, %2 : tensor<5xf32>, index, index
  }
}
