// RUN: --convert-shard-to-mpi
// The process's rank is known: so are its place, its groups and its neighbours. One at the border exchanges nothing there.
module attributes {mpi.dlti = #dlti.map<"MPI:comm_world_rank" = 5>} {
  shard.grid @g(shape = 2x3)
  func.func @place() -> (index, index, index) {
    %0:2 = shard.process_multi_index on @g : index, index
    %1 = shard.process_linear_index on @g : index
    return %0#0, %0#1, %1 : index, index, index
  }
  func.func @sum(%x: tensor<f64>) -> tensor<f64> {
    %0 = shard.all_reduce %x on @g grid_axes = [1] : tensor<f64> -> tensor<f64>
    return %0 : tensor<f64>
  }
  func.func @halo(%x: memref<20x7xf32>) -> memref<20x7xf32> {
    %0 = shard.update_halo %x on @g split_axes = [[0]] halo_sizes = [1, 2] : memref<20x7xf32>
    return %0 : memref<20x7xf32>
  }
  func.func @slice(%x: tensor<6x4xf32>) -> tensor<2x4xf32> {
    %0 = shard.all_slice %x on @g grid_axes = [1] slice_axis = 0 : tensor<6x4xf32> -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
// ---- expect
module attributes {mpi.dlti = #dlti.map<"MPI:comm_world_rank" = 5>} {
  shard.grid @g(shape = 2x3)
  func.func @place() -> (index, index, index) {
    %0 = arith.constant 2 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 5 : index
    return %1, %0, %2 : index, index, index
  }
  func.func @sum(%arg0: tensor<f64>) -> tensor<f64> {
    %0 = arith.constant 1 : i32
    %1 = arith.constant 2 : i32
    %2 = bufferization.to_buffer %arg0 read_only : tensor<f64> to memref<f64>
    %3 = memref.alloc() : memref<f64>
    linalg.copy ins(%2 : memref<f64>) outs(%3 : memref<f64>)
    %4 = mpi.comm_world : !mpi.comm
    %5 = mpi.comm_split(%4, %0, %1) : !mpi.comm
    mpi.allreduce(%3, %3, MPI_SUM, %5) : memref<f64>, memref<f64>
    %6 = bufferization.to_tensor %3 restrict : memref<f64> to tensor<f64>
    return %6 : tensor<f64>
  }
  func.func @halo(%arg0: memref<20x7xf32>) -> memref<20x7xf32> {
    %0 = arith.constant 91 : i32
    %1 = arith.constant 2 : i32
    %2 = mpi.comm_world : !mpi.comm
    %3 = memref.alloc() : memref<1x7xf32>
    mpi.recv(%3, %0, %1, %2) : memref<1x7xf32>, i32, i32
    %4 = memref.subview %arg0[0, 0] [1, 7] [1, 1] : memref<20x7xf32> to memref<1x7xf32, strided<[7, 1]>>
    memref.copy %3, %4 : memref<1x7xf32> to memref<1x7xf32, strided<[7, 1]>>
    memref.dealloc %3 : memref<1x7xf32>
    %5 = memref.alloc() : memref<2x7xf32>
    %6 = memref.subview %arg0[1, 0] [2, 7] [1, 1] : memref<20x7xf32> to memref<2x7xf32, strided<[7, 1], offset: 7>>
    memref.copy %6, %5 : memref<2x7xf32, strided<[7, 1], offset: 7>> to memref<2x7xf32>
    mpi.send(%5, %0, %1, %2) : memref<2x7xf32>, i32, i32
    memref.dealloc %5 : memref<2x7xf32>
    return %arg0 : memref<20x7xf32>
  }
  func.func @slice(%arg0: tensor<6x4xf32>) -> tensor<2x4xf32> {
    %0 = arith.constant 4 : index
    %1 = tensor.extract_slice %arg0[%0, 0] [2, 4] [1, 1] : tensor<6x4xf32> to tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
