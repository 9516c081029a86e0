// RUN: not --convert-shard-to-mpi
// MPI has no average.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = average : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- expect
average.mlir:5:8: error: 'shard.all_reduce' op has the reduction 'average', which MPI does not have; write an average as a sum and a division
    %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = average : tensor<4xf32> -> tensor<4xf32>
         ^
