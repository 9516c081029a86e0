// RUN: not --convert-shard-to-mpi
// MPI takes elements that lie one behind another.
shard.grid @g(shape = 2)
func.func @main(%x: memref<4x4xf32, strided<[5, 1]>>) -> memref<4x4xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : memref<4x4xf32, strided<[5, 1]>> -> memref<4x4xf32>
  return %0 : memref<4x4xf32>
}
// ---- expect
buffer_with_gaps.mlir:5:8: error: 'shard.all_reduce' op needs tensors of known shapes, or buffers whose elements lie row by row without gaps, to give them to MPI, but has 'memref<4x4xf32, strided<[5, 1]>>'
    %0 = shard.all_reduce %x on @g grid_axes = [0] : memref<4x4xf32, strided<[5, 1]>> -> memref<4x4xf32>
         ^
