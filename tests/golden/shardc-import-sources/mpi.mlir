// RUN: not --shardc-import-sources
// Programs of buffers and MPI are not compiled.
shard.grid @g(shape = 4)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = bufferization.to_buffer %x read_only : tensor<4xf32> to memref<4xf32>
  %1 = bufferization.to_tensor %0 restrict : memref<4xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ---- expect
mpi.mlir:5:8: error: 'bufferization.to_buffer' op is of a program of buffers or MPI, which is read and printed, not run: run the program on tensors, as it is before convert-shard-to-mpi
    %0 = bufferization.to_buffer %x read_only : tensor<4xf32> to memref<4xf32>
         ^
