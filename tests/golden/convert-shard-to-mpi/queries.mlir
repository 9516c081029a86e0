// RUN: --convert-shard-to-mpi
// Neighbours along one and two axes, at the border -1; parts of dimensions, even ones and by offsets.
shard.grid @g(shape = 3x4x5)
func.func @neighbors(%i: index) -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0:2 = shard.neighbors_linear_indices on @g[%c1, %c0, %c4] split_axes = [0] : index, index
  %1:2 = shard.neighbors_linear_indices on @g[%c1, %c0, %c4] split_axes = [1] : index, index
  %2:2 = shard.neighbors_linear_indices on @g[%c1, %i, %c4] split_axes = [2, 1] : index, index
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : index, index, index, index, index, index
}
func.func @part(%n: index) -> (index, index, index) {
  %s = shard.sharding @g split_axes = [[0], [1], [2]] : !shard.sharding
  %0:3 = shard.process_multi_index on @g : index, index, index
  %1:3 = shard.shard_shape dims = [%n, 15, 17] sharding = %s device = [%0#0, 3, %0#2] : index, index, index
  return %1#0, %1#1, %1#2 : index, index, index
}
func.func @part_by_offsets(%m: i64) -> (index, index) {
  %s = shard.sharding @g split_axes = [[0], [], [2]] sharded_dims_offsets = [0, 1, 4, 9, 0, 3, %m, 9, 12, 15] : !shard.sharding
  %0 = shard.process_multi_index on @g axes = [0] : index
  %1:3 = shard.shard_shape dims = [9, 12, 15] sharding = %s device = [%0, 3, 1] : index, index, index
  return %1#0, %1#2 : index, index
}
// ---- expect
module {
  shard.grid @g(shape = 3x4x5)
  func.func @neighbors(%arg0: index) -> (index, index, index, index, index, index) {
    %0 = arith.constant 4 : index
    %1 = arith.constant 44 : index
    %2 = arith.constant -1 : index
    %3 = arith.constant 29 : index
    %4 = arith.constant 16 : index
    %5 = arith.constant 1 : index
    %6 = arith.constant 19 : index
    %7 = arith.constant 0 : index
    %8 = arith.constant 5 : index
    %9 = arith.addi %4, %arg0 : index
    %10 = arith.cmpi sge, %7, %9 : index
    %11 = arith.subi %9, %5 : index
    %12 = arith.remsi %11, %0 : index
    %13 = arith.divsi %11, %0 : index
    %14 = arith.addi %0, %12 : index
    %15 = arith.muli %14, %8 : index
    %16 = arith.addi %15, %13 : index
    %17 = arith.select %10, %2, %16 : index
    %18 = arith.cmpi sge, %9, %6 : index
    %19 = arith.addi %9, %5 : index
    %20 = arith.remsi %19, %0 : index
    %21 = arith.divsi %19, %0 : index
    %22 = arith.addi %0, %20 : index
    %23 = arith.muli %22, %8 : index
    %24 = arith.addi %23, %21 : index
    %25 = arith.select %18, %2, %24 : index
    return %0, %1, %2, %3, %17, %25 : index, index, index, index, index, index
  }
  func.func @part(%arg0: index) -> (index, index, index) {
    %0 = arith.constant 3 : index
    %1 = arith.constant 0 : index
    %2 = arith.constant 1 : index
    %3 = arith.constant 4 : index
    %4 = mpi.comm_world : !mpi.comm
    %5:2 = mpi.comm_rank(%4) : !mpi.retval, i32
    %6 = arith.index_cast %5#1 : i32 to index
    %7:3 = affine.delinearize_index %6 into (3, 4, 5) : index, index, index
    %8 = arith.divsi %arg0, %0 : index
    %9 = arith.remsi %arg0, %0 : index
    %10 = arith.subi %0, %9 : index
    %11 = arith.cmpi sge, %7#0, %10 : index
    %12 = arith.select %11, %2, %1 : index
    %13 = arith.addi %8, %12 : index
    %14 = arith.cmpi sge, %7#2, %0 : index
    %15 = arith.select %14, %2, %1 : index
    %16 = arith.addi %0, %15 : index
    return %13, %3, %16 : index, index, index
  }
  func.func @part_by_offsets(%arg0: i64) -> (index, index) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 4 : index
    %3 = arith.constant 9 : index
    %4 = arith.constant 3 : index
    %5 = mpi.comm_world : !mpi.comm
    %6:2 = mpi.comm_rank(%5) : !mpi.retval, i32
    %7 = arith.index_cast %6#1 : i32 to index
    %8:3 = affine.delinearize_index %7 into (3, 4, 5) : index, index, index
    %9 = arith.index_cast %arg0 : i64 to index
    %10 = arith.addi %8#0, %1 : index
    %11 = tensor.from_elements %0, %1, %2, %3 : tensor<4xindex>
    %12 = tensor.extract %11[%8#0] : tensor<4xindex>
    %13 = tensor.from_elements %0, %1, %2, %3 : tensor<4xindex>
    %14 = tensor.extract %13[%10] : tensor<4xindex>
    %15 = arith.subi %14, %12 : index
    %16 = arith.subi %9, %4 : index
    return %15, %16 : index, index
  }
}
