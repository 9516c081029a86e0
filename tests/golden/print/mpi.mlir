// RUN:
// Buffers and calls of MPI are printed so that they read back.
func.func @calls(%b: memref<4x8xf32>, %n: index) -> i32 {
  %r = mpi.init : !mpi.retval
  mpi.init
  %ok = mpi.retval_check %r = <MPI_SUCCESS> : i1
  %cls = mpi.error_class %r : !mpi.retval
  %w = mpi.comm_world : !mpi.comm
  %rv, %rank = mpi.comm_rank(%w) : !mpi.retval, i32
  %size = mpi.comm_size(%w) : i32
  %c = mpi.comm_split(%w, %rank, %size) {a = 1 : i32} : !mpi.comm
  mpi.send(%b, %rank, %rank, %w) : memref<4x8xf32>, i32, i32
  %e = mpi.recv(%b, %rank, %rank, %w) : memref<4x8xf32>, i32, i32 -> !mpi.retval
  %q = mpi.isend(%b, %rank, %rank, %w) : memref<4x8xf32>, i32, i32 -> !mpi.request
  %e2, %q2 = mpi.irecv(%b, %rank, %rank) : memref<4x8xf32>, i32, i32 -> !mpi.retval, !mpi.request
  mpi.wait(%q) : !mpi.request
  %e3 = mpi.wait(%q2) : !mpi.request -> !mpi.retval
  mpi.barrier(%c)
  %e4 = mpi.barrier(%c) : !mpi.retval
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<4x?xf32>
  %v = memref.subview %b[0, %n] [2, 3] [1, 2] : memref<4x8xf32> to memref<2x3xf32, strided<[8,2], offset: ?>>
  %d = memref.dim %b, %n : memref<4x8xf32>
  %cs = memref.cast %a : memref<4x?xf32> to memref<?x?xf32, strided<[?, 1],offset:?>>
  %x = memref.expand_shape %b [[0, 1], [2]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32>
  %t = bufferization.to_tensor %b restrict writable : memref<4x8xf32> to tensor<4x8xf32>
  %u = bufferization.to_buffer %t read_only : tensor<4x8xf32> to memref<4x8xf32>
  mpi.allreduce(%b, %u, MPI_MAX, %c) : memref<4x8xf32>, memref<4x8xf32>
  %e5 = mpi.reduce_scatter_block(%b, %v, MPI_BXOR, %c) : memref<4x8xf32>, memref<2x3xf32, strided<[8, 2], offset: ?>> -> !mpi.retval
  mpi.allgather(%v, %b, %c) : memref<2x3xf32, strided<[8, 2], offset: ?>>, memref<4x8xf32>
  mpi.finalize
  return %rank : i32
}
// ---- expect
module {
  func.func @calls(%arg0: memref<4x8xf32>, %arg1: index) -> i32 {
    %0 = mpi.init : !mpi.retval
    mpi.init
    %1 = mpi.retval_check %0 = <MPI_SUCCESS> : i1
    %2 = mpi.error_class %0 : !mpi.retval
    %3 = mpi.comm_world : !mpi.comm
    %4:2 = mpi.comm_rank(%3) : !mpi.retval, i32
    %5 = mpi.comm_size(%3) : i32
    %6 = mpi.comm_split(%3, %4#1, %5) {a = 1 : i32} : !mpi.comm
    mpi.send(%arg0, %4#1, %4#1, %3) : memref<4x8xf32>, i32, i32
    %7 = mpi.recv(%arg0, %4#1, %4#1, %3) : memref<4x8xf32>, i32, i32 -> !mpi.retval
    %8 = mpi.isend(%arg0, %4#1, %4#1, %3) : memref<4x8xf32>, i32, i32 -> !mpi.request
    %9:2 = mpi.irecv(%arg0, %4#1, %4#1) : memref<4x8xf32>, i32, i32 -> !mpi.retval, !mpi.request
    mpi.wait(%8) : !mpi.request
    %10 = mpi.wait(%9#1) : !mpi.request -> !mpi.retval
    mpi.barrier(%6)
    %11 = mpi.barrier(%6) : !mpi.retval
    %12 = memref.alloc(%arg1) {alignment = 64 : i64} : memref<4x?xf32>
    %13 = memref.subview %arg0[0, %arg1] [2, 3] [1, 2] : memref<4x8xf32> to memref<2x3xf32, strided<[8, 2], offset: ?>>
    %14 = memref.dim %arg0, %arg1 : memref<4x8xf32>
    %15 = memref.cast %12 : memref<4x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %16 = memref.expand_shape %arg0 [[0, 1], [2]] output_shape [2, 2, 8] : memref<4x8xf32> into memref<2x2x8xf32>
    %17 = bufferization.to_tensor %arg0 restrict writable : memref<4x8xf32> to tensor<4x8xf32>
    %18 = bufferization.to_buffer %17 read_only : tensor<4x8xf32> to memref<4x8xf32>
    mpi.allreduce(%arg0, %18, MPI_MAX, %6) : memref<4x8xf32>, memref<4x8xf32>
    %19 = mpi.reduce_scatter_block(%arg0, %13, MPI_BXOR, %6) : memref<4x8xf32>, memref<2x3xf32, strided<[8, 2], offset: ?>> -> !mpi.retval
    mpi.allgather(%13, %arg0, %6) : memref<2x3xf32, strided<[8, 2], offset: ?>>, memref<4x8xf32>
    mpi.finalize
    return %4#1 : i32
  }
}
