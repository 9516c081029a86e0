// RUN: --convert-shard-to-mpi
// Halos of two dimensions, the last one first: then corners arrive, too. The first one is split by two grid axes.
shard.grid @g(shape = 2x2x3)
func.func @main(%x: tensor<6x9x8xi16>) -> tensor<6x9x8xi16> {
  %0 = shard.update_halo %x on @g split_axes = [[1, 0], [], [2]] halo_sizes = [1, 0, 2, 3] : tensor<6x9x8xi16>
  return %0 : tensor<6x9x8xi16>
}
// ---- expect
module {
  shard.grid @g(shape = 2x2x3)
  func.func @main(%arg0: tensor<6x9x8xi16>) -> tensor<6x9x8xi16> {
    %0 = arith.constant 91 : i32
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %3 = arith.constant -1 : index
    %4 = arith.constant 0 : index
    %5 = arith.constant 3 : index
    %6 = bufferization.to_buffer %arg0 : tensor<6x9x8xi16> to memref<6x9x8xi16>
    %7 = mpi.comm_world : !mpi.comm
    %8:2 = mpi.comm_rank(%7) : !mpi.retval, i32
    %9 = arith.index_cast %8#1 : i32 to index
    %10:3 = affine.delinearize_index %9 into (2, 2, 3) : index, index, index
    %11 = mpi.comm_world : !mpi.comm
    %12 = arith.cmpi sge, %4, %10#2 : index
    %13 = arith.subi %10#2, %1 : index
    %14 = arith.muli %10#0, %2 : index
    %15 = arith.addi %14, %10#1 : index
    %16 = arith.muli %15, %5 : index
    %17 = arith.addi %16, %13 : index
    %18 = arith.select %12, %3, %17 : index
    %19 = arith.cmpi sge, %10#2, %2 : index
    %20 = arith.addi %10#2, %1 : index
    %21 = arith.muli %10#0, %2 : index
    %22 = arith.addi %21, %10#1 : index
    %23 = arith.muli %22, %5 : index
    %24 = arith.addi %23, %20 : index
    %25 = arith.select %19, %3, %24 : index
    %26 = arith.cmpi sge, %18, %4 : index
    %27 = arith.cmpi sge, %25, %4 : index
    %28 = memref.alloc() : memref<5x9x2xi16>
    scf.if %27 {
      %56 = memref.subview %6[1, 0, 3] [5, 9, 2] [1, 1, 1] : memref<6x9x8xi16> to memref<5x9x2xi16, strided<[72, 8, 1], offset: 75>>
      memref.copy %56, %28 : memref<5x9x2xi16, strided<[72, 8, 1], offset: 75>> to memref<5x9x2xi16>
      %57 = arith.index_cast %25 : index to i32
      mpi.send(%28, %0, %57, %11) : memref<5x9x2xi16>, i32, i32
      scf.yield
    }
    scf.if %26 {
      %56 = arith.index_cast %18 : index to i32
      mpi.recv(%28, %0, %56, %11) : memref<5x9x2xi16>, i32, i32
      %57 = memref.subview %6[1, 0, 0] [5, 9, 2] [1, 1, 1] : memref<6x9x8xi16> to memref<5x9x2xi16, strided<[72, 8, 1], offset: 72>>
      memref.copy %28, %57 : memref<5x9x2xi16> to memref<5x9x2xi16, strided<[72, 8, 1], offset: 72>>
      scf.yield
    }
    memref.dealloc %28 : memref<5x9x2xi16>
    %29 = arith.cmpi sge, %25, %4 : index
    %30 = arith.cmpi sge, %18, %4 : index
    %31 = memref.alloc() : memref<5x9x3xi16>
    scf.if %30 {
      %56 = memref.subview %6[1, 0, 2] [5, 9, 3] [1, 1, 1] : memref<6x9x8xi16> to memref<5x9x3xi16, strided<[72, 8, 1], offset: 74>>
      memref.copy %56, %31 : memref<5x9x3xi16, strided<[72, 8, 1], offset: 74>> to memref<5x9x3xi16>
      %57 = arith.index_cast %18 : index to i32
      mpi.send(%31, %0, %57, %11) : memref<5x9x3xi16>, i32, i32
      scf.yield
    }
    scf.if %29 {
      %56 = arith.index_cast %25 : index to i32
      mpi.recv(%31, %0, %56, %11) : memref<5x9x3xi16>, i32, i32
      %57 = memref.subview %6[1, 0, 5] [5, 9, 3] [1, 1, 1] : memref<6x9x8xi16> to memref<5x9x3xi16, strided<[72, 8, 1], offset: 77>>
      memref.copy %31, %57 : memref<5x9x3xi16> to memref<5x9x3xi16, strided<[72, 8, 1], offset: 77>>
      scf.yield
    }
    memref.dealloc %31 : memref<5x9x3xi16>
    %32 = arith.muli %10#1, %2 : index
    %33 = arith.addi %32, %10#0 : index
    %34 = arith.cmpi sge, %4, %33 : index
    %35 = arith.subi %33, %1 : index
    %36 = arith.remsi %35, %2 : index
    %37 = arith.divsi %35, %2 : index
    %38 = arith.muli %36, %2 : index
    %39 = arith.addi %38, %37 : index
    %40 = arith.muli %39, %5 : index
    %41 = arith.addi %40, %10#2 : index
    %42 = arith.select %34, %3, %41 : index
    %43 = arith.cmpi sge, %33, %5 : index
    %44 = arith.addi %33, %1 : index
    %45 = arith.remsi %44, %2 : index
    %46 = arith.divsi %44, %2 : index
    %47 = arith.muli %45, %2 : index
    %48 = arith.addi %47, %46 : index
    %49 = arith.muli %48, %5 : index
    %50 = arith.addi %49, %10#2 : index
    %51 = arith.select %43, %3, %50 : index
    %52 = arith.cmpi sge, %42, %4 : index
    %53 = arith.cmpi sge, %51, %4 : index
    %54 = memref.alloc() : memref<1x9x8xi16>
    scf.if %53 {
      %56 = memref.subview %6[5, 0, 0] [1, 9, 8] [1, 1, 1] : memref<6x9x8xi16> to memref<1x9x8xi16, strided<[72, 8, 1], offset: 360>>
      memref.copy %56, %54 : memref<1x9x8xi16, strided<[72, 8, 1], offset: 360>> to memref<1x9x8xi16>
      %57 = arith.index_cast %51 : index to i32
      mpi.send(%54, %0, %57, %11) : memref<1x9x8xi16>, i32, i32
      scf.yield
    }
    scf.if %52 {
      %56 = arith.index_cast %42 : index to i32
      mpi.recv(%54, %0, %56, %11) : memref<1x9x8xi16>, i32, i32
      %57 = memref.subview %6[0, 0, 0] [1, 9, 8] [1, 1, 1] : memref<6x9x8xi16> to memref<1x9x8xi16, strided<[72, 8, 1]>>
      memref.copy %54, %57 : memref<1x9x8xi16> to memref<1x9x8xi16, strided<[72, 8, 1]>>
      scf.yield
    }
    memref.dealloc %54 : memref<1x9x8xi16>
    %55 = bufferization.to_tensor %6 restrict writable : memref<6x9x8xi16> to tensor<6x9x8xi16>
    return %55 : tensor<6x9x8xi16>
  }
}
