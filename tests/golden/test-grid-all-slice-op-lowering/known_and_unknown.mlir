// RUN: --test-grid-all-slice-op-lowering
// Slices of known sizes, and of sizes that the program asks for.
shard.grid @g(shape = 2x?)
func.func @main(%x: tensor<6xf32>, %y: tensor<?x4xf32>) -> (tensor<3xf32>, tensor<?x4xf32>) {
  %0 = shard.all_slice %x on @g grid_axes = [0] slice_axis = 0 : tensor<6xf32> -> tensor<3xf32>
  %1 = shard.all_slice %y on @g grid_axes = [1, 0] slice_axis = 0 : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0, %1 : tensor<3xf32>, tensor<?x4xf32>
}
// ---- expect
module {
  shard.grid @g(shape = 2x?)
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<?x4xf32>) -> (tensor<3xf32>, tensor<?x4xf32>) {
    %0 = shard.process_multi_index on @g axes = [0] : index
    %1 = arith.constant 2 : index
    %2 = arith.constant 3 : index
    %3 = arith.muli %0, %2 : index
    %4 = tensor.extract_slice %arg0[%3] [3] [1] : tensor<6xf32> to tensor<3xf32>
    %5:2 = shard.process_multi_index on @g axes = [1, 0] : index, index
    %6 = shard.grid_shape @g axes = [1] : index
    %7 = arith.constant 2 : index
    %8 = arith.muli %6, %7 : index
    %9 = arith.muli %5#0, %7 : index
    %10 = arith.addi %9, %5#1 : index
    %11 = arith.constant 0 : index
    %12 = tensor.dim %arg1, %11 : tensor<?x4xf32>
    %13 = arith.remui %12, %8 : index
    %14 = arith.constant 0 : index
    %15 = arith.cmpi eq, %13, %14 : index
    cf.assert %15, "Slicing a tensor with axis size that is not exactly divisible by the grid process group size is not supported."
    %16 = arith.divui %12, %8 : index
    %17 = arith.muli %10, %16 : index
    %18 = tensor.extract_slice %arg1[%17, 0] [%16, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    return %4, %18 : tensor<3xf32>, tensor<?x4xf32>
  }
}
