// RUN: --convert-mesh-to-mpi
// The older name of the dialect and of the pass.
mesh.mesh @m(shape = 4)
func.func @main(%x: memref<12x5xf32>) -> memref<12x5xf32> {
  %0 = mesh.update_halo %x on @m split_axes = [[0]] halo_sizes = [2, 0] : memref<12x5xf32>
  return %0 : memref<12x5xf32>
}
// ---- expect
module {
  shard.grid @m(shape = 4)
  func.func @main(%arg0: memref<12x5xf32>) -> memref<12x5xf32> {
    %0 = arith.constant 91 : i32
    %1 = arith.constant 1 : index
    %2 = arith.constant 3 : index
    %3 = arith.constant -1 : index
    %4 = arith.constant 0 : index
    %5 = mpi.comm_world : !mpi.comm
    %6:2 = mpi.comm_rank(%5) : !mpi.retval, i32
    %7 = arith.index_cast %6#1 : i32 to index
    %8 = mpi.comm_world : !mpi.comm
    %9 = arith.cmpi sge, %4, %7 : index
    %10 = arith.subi %7, %1 : index
    %11 = arith.select %9, %3, %10 : index
    %12 = arith.cmpi sge, %7, %2 : index
    %13 = arith.addi %7, %1 : index
    %14 = arith.select %12, %3, %13 : index
    %15 = arith.cmpi sge, %11, %4 : index
    %16 = arith.cmpi sge, %14, %4 : index
    %17 = memref.alloc() : memref<2x5xf32>
    scf.if %16 {
      %18 = memref.subview %arg0[10, 0] [2, 5] [1, 1] : memref<12x5xf32> to memref<2x5xf32, strided<[5, 1], offset: 50>>
      memref.copy %18, %17 : memref<2x5xf32, strided<[5, 1], offset: 50>> to memref<2x5xf32>
      %19 = arith.index_cast %14 : index to i32
      mpi.send(%17, %0, %19, %8) : memref<2x5xf32>, i32, i32
      scf.yield
    }
    scf.if %15 {
      %18 = arith.index_cast %11 : index to i32
      mpi.recv(%17, %0, %18, %8) : memref<2x5xf32>, i32, i32
      %19 = memref.subview %arg0[0, 0] [2, 5] [1, 1] : memref<12x5xf32> to memref<2x5xf32, strided<[5, 1]>>
      memref.copy %17, %19 : memref<2x5xf32> to memref<2x5xf32, strided<[5, 1]>>
      scf.yield
    }
    memref.dealloc %17 : memref<2x5xf32>
    return %arg0 : memref<12x5xf32>
  }
}
