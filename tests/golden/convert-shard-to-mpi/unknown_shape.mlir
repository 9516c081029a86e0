// RUN: not --convert-shard-to-mpi
// What is given to MPI has a known shape.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// ---- expect
unknown_shape.mlir:5:8: error: 'shard.all_reduce' op needs tensors of known shapes, or buffers whose elements lie row by row without gaps, to give them to MPI, but has 'tensor<?xf32>'
    %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
         ^
