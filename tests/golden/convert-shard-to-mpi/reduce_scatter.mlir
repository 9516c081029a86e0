// RUN: --convert-shard-to-mpi
// MPI deals blocks out along the first dimension. Elements are widened before they are reduced.
shard.grid @g(shape = 2x3)
func.func @rows(%x: tensor<6x4xf32>) -> tensor<2x4xf32> {
  %0 = shard.reduce_scatter %x on @g grid_axes = [1] scatter_axis = 0 : tensor<6x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
func.func @columns(%x: memref<2x6xi8>) -> memref<2x3xi32> {
  %0 = shard.reduce_scatter %x on @g grid_axes = [0] reduction = min scatter_dim = 1 : memref<2x6xi8> -> memref<2x3xi32>
  return %0 : memref<2x3xi32>
}
// ---- expect
module {
  shard.grid @g(shape = 2x3)
  func.func @rows(%arg0: tensor<6x4xf32>) -> tensor<2x4xf32> {
    %0 = mpi.comm_world : !mpi.comm
    %1 = mpi.comm_world : !mpi.comm
    %2:2 = mpi.comm_rank(%1) : !mpi.retval, i32
    %3 = arith.index_cast %2#1 : i32 to index
    %4:2 = affine.delinearize_index %3 into (2, 3) : index, index
    %5 = arith.index_cast %4#0 : index to i32
    %6 = arith.index_cast %4#1 : index to i32
    %7 = mpi.comm_split(%0, %5, %6) : !mpi.comm
    %8 = bufferization.to_buffer %arg0 read_only : tensor<6x4xf32> to memref<6x4xf32>
    %9 = memref.alloc() : memref<2x4xf32>
    mpi.reduce_scatter_block(%8, %9, MPI_SUM, %7) : memref<6x4xf32>, memref<2x4xf32>
    %10 = bufferization.to_tensor %9 restrict : memref<2x4xf32> to tensor<2x4xf32>
    return %10 : tensor<2x4xf32>
  }
  func.func @columns(%arg0: memref<2x6xi8>) -> memref<2x3xi32> {
    %0 = mpi.comm_world : !mpi.comm
    %1 = mpi.comm_world : !mpi.comm
    %2:2 = mpi.comm_rank(%1) : !mpi.retval, i32
    %3 = arith.index_cast %2#1 : i32 to index
    %4:2 = affine.delinearize_index %3 into (2, 3) : index, index
    %5 = arith.index_cast %4#1 : index to i32
    %6 = arith.index_cast %4#0 : index to i32
    %7 = mpi.comm_split(%0, %5, %6) : !mpi.comm
    %8 = bufferization.to_tensor %arg0 restrict : memref<2x6xi8> to tensor<2x6xi8>
    %9 = tensor.expand_shape %8 [[0], [1, 2]] output_shape [2, 2, 3] : tensor<2x6xi8> into tensor<2x2x3xi8>
    %10 = tensor.empty() : tensor<2x2x3xi8>
    %11 = linalg.transpose ins(%9 : tensor<2x2x3xi8>) outs(%10 : tensor<2x2x3xi8>) permutation = [1, 0, 2]
    %12 = memref.alloc() : memref<2x2x3xi32>
    %13 = bufferization.to_buffer %11 read_only : tensor<2x2x3xi8> to memref<2x2x3xi8>
    linalg.copy ins(%13 : memref<2x2x3xi8>) outs(%12 : memref<2x2x3xi32>)
    %14 = memref.alloc() : memref<2x3xi32>
    mpi.reduce_scatter_block(%12, %14, MPI_MIN, %7) : memref<2x2x3xi32>, memref<2x3xi32>
    memref.dealloc %12 : memref<2x2x3xi32>
    return %14 : memref<2x3xi32>
  }
}
