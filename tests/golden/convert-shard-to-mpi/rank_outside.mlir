// RUN: not --convert-shard-to-mpi
// The process that the program is made for has a place in the grid.
module attributes {dlti = #dlti.map<"MPI:comm_world_rank" = 6>} {
  shard.grid @g(shape = 2x3)
  func.func @main() -> index {
    %0 = shard.process_multi_index on @g axes = [1] : index
    return %0 : index
  }
}
// ---- expect
rank_outside.mlir:6:10: error: 'shard.process_multi_index' op is of the process with rank 6, but grid @g has 6 processes
      %0 = shard.process_multi_index on @g axes = [1] : index
           ^
