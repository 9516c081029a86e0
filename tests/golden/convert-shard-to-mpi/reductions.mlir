// RUN: --convert-shard-to-mpi
// A copy is reduced in place, by all or by a group: processes whose places differ along the axes alone.
shard.grid @g(shape = 2x3)
func.func @all(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0, 1] reduction = max : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @group_of_a_buffer(%x: memref<5xi8>) -> memref<5xi32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = bitwise_xor : memref<5xi8> -> memref<5xi32>
  return %0 : memref<5xi32>
}
func.func @one_process(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %x on @g : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- expect
module {
  shard.grid @g(shape = 2x3)
  func.func @all(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = bufferization.to_buffer %arg0 read_only : tensor<4x8xf32> to memref<4x8xf32>
    %1 = memref.alloc() : memref<4x8xf32>
    linalg.copy ins(%0 : memref<4x8xf32>) outs(%1 : memref<4x8xf32>)
    %2 = mpi.comm_world : !mpi.comm
    %3 = memref.collapse_shape %1 [[0, 1]] : memref<4x8xf32> into memref<32xf32>
    mpi.allreduce(%3, %3, MPI_MAX, %2) : memref<32xf32>, memref<32xf32>
    %4 = bufferization.to_tensor %1 restrict : memref<4x8xf32> to tensor<4x8xf32>
    return %4 : tensor<4x8xf32>
  }
  func.func @group_of_a_buffer(%arg0: memref<5xi8>) -> memref<5xi32> {
    %0 = memref.alloc() : memref<5xi32>
    linalg.copy ins(%arg0 : memref<5xi8>) outs(%0 : memref<5xi32>)
    %1 = mpi.comm_world : !mpi.comm
    %2 = mpi.comm_world : !mpi.comm
    %3:2 = mpi.comm_rank(%2) : !mpi.retval, i32
    %4 = arith.index_cast %3#1 : i32 to index
    %5:2 = affine.delinearize_index %4 into (2, 3) : index, index
    %6 = arith.index_cast %5#0 : index to i32
    %7 = arith.index_cast %5#1 : index to i32
    %8 = mpi.comm_split(%1, %6, %7) : !mpi.comm
    mpi.allreduce(%0, %0, MPI_BXOR, %8) : memref<5xi32>, memref<5xi32>
    return %0 : memref<5xi32>
  }
  func.func @one_process(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
