// RUN: --convert-shard-to-mpi
// Sizes, halos and grids that are not known are asked for when the program runs.
shard.grid @g(shape = 2x?)
func.func @halo(%x: memref<?x4xf32>, %h: i64) -> memref<?x4xf32> {
  %0 = shard.update_halo %x on @g split_axes = [[1]] halo_sizes = [0, %h] : memref<?x4xf32>
  return %0 : memref<?x4xf32>
}
func.func @place() -> (index, index) {
  %0 = shard.process_multi_index on @g axes = [1] : index
  %1:2 = shard.grid_shape @g : index, index
  return %0, %1#0 : index, index
}
// ---- expect
module {
  shard.grid @g(shape = 2x?)
  func.func @halo(%arg0: memref<?x4xf32>, %arg1: i64) -> memref<?x4xf32> {
    %0 = arith.constant 0 : index
    %1 = arith.constant 91 : i32
    %2 = arith.constant 1 : index
    %3 = arith.constant -1 : index
    %4 = memref.dim %arg0, %0 : memref<?x4xf32>
    %5 = arith.index_cast %arg1 : i64 to index
    %6 = arith.subi %4, %5 : index
    %7 = mpi.comm_world : !mpi.comm
    %8:2 = mpi.comm_rank(%7) : !mpi.retval, i32
    %9 = arith.index_cast %8#1 : i32 to index
    %10 = shard.grid_shape @g axes = [1] : index
    %11:2 = affine.delinearize_index %9 into (2, %10) : index, index
    %12 = mpi.comm_world : !mpi.comm
    %13 = shard.grid_shape @g axes = [1] : index
    %14 = arith.subi %13, %2 : index
    %15 = arith.cmpi sge, %0, %11#1 : index
    %16 = arith.subi %11#1, %2 : index
    %17 = shard.grid_shape @g axes = [1] : index
    %18 = arith.muli %11#0, %17 : index
    %19 = arith.addi %18, %16 : index
    %20 = arith.select %15, %3, %19 : index
    %21 = arith.cmpi sge, %11#1, %14 : index
    %22 = arith.addi %11#1, %2 : index
    %23 = shard.grid_shape @g axes = [1] : index
    %24 = arith.muli %11#0, %23 : index
    %25 = arith.addi %24, %22 : index
    %26 = arith.select %21, %3, %25 : index
    %27 = arith.cmpi sge, %26, %0 : index
    %28 = arith.cmpi sge, %20, %0 : index
    %29 = arith.cmpi sgt, %5, %0 : index
    scf.if %29 {
      %30 = arith.subi %4, %5 : index
      %31 = memref.alloc(%5) : memref<?x4xf32>
      scf.if %28 {
        %32 = memref.subview %arg0[0, 0] [%5, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1]>>
        memref.copy %32, %31 : memref<?x4xf32, strided<[4, 1]>> to memref<?x4xf32>
        %33 = arith.index_cast %20 : index to i32
        mpi.send(%31, %1, %33, %12) : memref<?x4xf32>, i32, i32
        scf.yield
      }
      scf.if %27 {
        %32 = arith.index_cast %26 : index to i32
        mpi.recv(%31, %1, %32, %12) : memref<?x4xf32>, i32, i32
        %33 = memref.subview %arg0[%30, 0] [%5, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
        memref.copy %31, %33 : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
        scf.yield
      }
      memref.dealloc %31 : memref<?x4xf32>
      scf.yield
    }
    return %arg0 : memref<?x4xf32>
  }
  func.func @place() -> (index, index) {
    %0 = arith.constant 2 : index
    %1 = mpi.comm_world : !mpi.comm
    %2:2 = mpi.comm_rank(%1) : !mpi.retval, i32
    %3 = arith.index_cast %2#1 : i32 to index
    %4 = shard.grid_shape @g axes = [1] : index
    %5:2 = affine.delinearize_index %3 into (2, %4) : index, index
    return %5#1, %0 : index, index
  }
}
