// RUN: --convert-shard-to-mpi
// MPI joins blocks along the first dimension: others are brought to their place by a transpose. Groups have the order of their axes.
shard.grid @g(shape = 2x3)
func.func @rows(%x: tensor<3x4xf32>) -> tensor<18x4xf32> {
  %0 = shard.all_gather %x on @g grid_axes = [1, 0] gather_axis = 0 : tensor<3x4xf32> -> tensor<18x4xf32>
  return %0 : tensor<18x4xf32>
}
func.func @columns(%x: memref<3x4xf32>) -> memref<3x8xf32> {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 1 : memref<3x4xf32> -> memref<3x8xf32>
  return %0 : memref<3x8xf32>
}
// ---- expect
module {
  shard.grid @g(shape = 2x3)
  func.func @rows(%arg0: tensor<3x4xf32>) -> tensor<18x4xf32> {
    %0 = arith.constant 2 : index
    %1 = arith.constant 0 : i32
    %2 = arith.constant 6 : index
    %3 = bufferization.to_buffer %arg0 read_only : tensor<3x4xf32> to memref<3x4xf32>
    %4 = mpi.comm_world : !mpi.comm
    %5 = mpi.comm_world : !mpi.comm
    %6:2 = mpi.comm_rank(%5) : !mpi.retval, i32
    %7 = arith.index_cast %6#1 : i32 to index
    %8:2 = affine.delinearize_index %7 into (2, 3) : index, index
    %9 = arith.muli %8#1, %0 : index
    %10 = arith.addi %9, %8#0 : index
    %11 = arith.index_cast %10 : index to i32
    %12 = mpi.comm_split(%4, %1, %11) : !mpi.comm
    %13 = mpi.comm_size(%12) : i32
    %14 = arith.index_cast %13 : i32 to index
    %15 = arith.cmpi eq, %14, %2 : index
    cf.assert %15, "The communicator does not have as many processes as the gathered dimension has parts."
    %16 = memref.alloc() : memref<6x3x4xf32>
    mpi.allgather(%3, %16, %12) : memref<3x4xf32>, memref<6x3x4xf32>
    %17 = memref.collapse_shape %16 [[0, 1], [2]] : memref<6x3x4xf32> into memref<18x4xf32>
    %18 = bufferization.to_tensor %17 restrict : memref<18x4xf32> to tensor<18x4xf32>
    return %18 : tensor<18x4xf32>
  }
  func.func @columns(%arg0: memref<3x4xf32>) -> memref<3x8xf32> {
    %0 = arith.constant 2 : index
    %1 = mpi.comm_world : !mpi.comm
    %2 = mpi.comm_world : !mpi.comm
    %3:2 = mpi.comm_rank(%2) : !mpi.retval, i32
    %4 = arith.index_cast %3#1 : i32 to index
    %5:2 = affine.delinearize_index %4 into (2, 3) : index, index
    %6 = arith.index_cast %5#1 : index to i32
    %7 = arith.index_cast %5#0 : index to i32
    %8 = mpi.comm_split(%1, %6, %7) : !mpi.comm
    %9 = mpi.comm_size(%8) : i32
    %10 = arith.index_cast %9 : i32 to index
    %11 = arith.cmpi eq, %10, %0 : index
    cf.assert %11, "The communicator does not have as many processes as the gathered dimension has parts."
    %12 = memref.alloc() : memref<2x3x4xf32>
    mpi.allgather(%arg0, %12, %8) : memref<3x4xf32>, memref<2x3x4xf32>
    %13 = bufferization.to_tensor %12 restrict : memref<2x3x4xf32> to tensor<2x3x4xf32>
    %14 = tensor.empty() : tensor<3x2x4xf32>
    %15 = linalg.transpose ins(%13 : tensor<2x3x4xf32>) outs(%14 : tensor<3x2x4xf32>) permutation = [1, 0, 2]
    %16 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<3x2x4xf32> into tensor<3x8xf32>
    %17 = bufferization.to_buffer %16 : tensor<3x8xf32> to memref<3x8xf32>
    return %17 : memref<3x8xf32>
  }
}
