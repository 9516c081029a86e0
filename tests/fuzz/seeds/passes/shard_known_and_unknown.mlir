// RUN: --test-grid-all-slice-op-lowering
// Slices of known sizes, and of sizes that the program asks for.
shard.grid @g(shape = 2x?)
func.func @main(%x: tensor<6xf32>, %y: tensor<?x4xf32>) -> (tensor<3xf32>, tensor<?x4xf32>) {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<6xf32> -> tensor<3xf32>
  %1 = shard.all_slice %y on @g grid_axes = [1, 0] slice_axis = 0 : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0, %1 : tensor<3xf32>, tensor<?x4xf32>
}
