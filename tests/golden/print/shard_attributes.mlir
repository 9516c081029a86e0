// RUN: --symbol-dce
// The generic form as MLIR writes it, and what it is inside.
shard.grid @mesh(shape = 2x4)
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "shard.all_reduce"(%a) <{grid = @mesh, grid_axes = array<i16: 1>, reduction = #shard<partial max>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = "shard.sharding"() <{grid = @mesh, operandSegmentSizes = array<i32: 0, 0>, split_axes = #shard<axisarray[[0], [1]]>, static_halo_sizes = array<i64>, static_sharded_dims_offsets = array<i64>}> : () -> !shard.sharding
  %1 = "shard.shard"(%0, %s) : (tensor<4x8xf32>, !shard.sharding) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
// ---- expect
module {
  shard.grid @mesh(shape = 2x4)
  func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = shard.all_reduce %arg0 on @mesh grid_axes = [1] reduction = max : tensor<4x8xf32> -> tensor<4x8xf32>
    %1 = shard.sharding @mesh split_axes = [[0], [1]] : !shard.sharding
    %2 = shard.shard %0 to %1 : tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}
