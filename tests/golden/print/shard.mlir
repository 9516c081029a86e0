// RUN:
// The dialect shard in all its forms, read as LLVM 18 to 22 and the RFC write it.
mesh.cluster @old(rank = 2, dim_sizes = [2, 4])
shard.grid @g(shape = 2x2x4)
func.func @shardings(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %s = shard.sharding @g split_axes = [[0], [], [1]] halo_sizes = [1, 2, 0, 1] : !shard.sharding
  %t = mesh.sharding @old split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !mesh.sharding
  %0 = shard.shard %x to %t annotate_for_users : tensor<8x8xf32>
  %1 = mesh.shard %x to <@g, [[0], [2]], partial = max[1]> : tensor<8x8xf32>
  %2 = mesh.shard %1 to <@g, []> annotate_for_users : tensor<8x8xf32>
  %k = shard.get_sharding %0 : tensor<8x8xf32> -> !shard.sharding
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @collectives(%x: tensor<8x8xf32>, %i: index) -> tensor<8x8xf32> {
  %0 = shard.all_gather %x on @g grid_axes = [2] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  %1 = mesh.all_reduce %x on @g mesh_axes = [1, 0] reduction = <bitwise_or> : tensor<8x8xf32> -> tensor<8x8xf64>
  %2 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<8x8xf32> -> tensor<16x4xf32>
  %3 = shard.gather %x on @g grid_axes = [0, 2] gather_axis = 0 root = [1, %i] : (tensor<8x8xf32>, index) -> tensor<64x8xf32>
  %4 = shard.reduce_scatter %x on @g grid_axes = [2] reduction = max scatter_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf64>
  %5 = shard.scatter %x on @g grid_axes = [2] scatter_axis = 1 root = [3] : (tensor<8x8xf32>) -> tensor<8x2xf32>
  %6 = shard.shift %x on @g grid_axes = [2] shift_axis = 2 offset = -1 rotate : tensor<8x8xf32> -> tensor<8x8xf32>
  %7 = shard.recv %6 on @g grid_axes = [0] source = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = shard.send %7 on @g grid_axes = [0] destination = [%i] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  %9 = shard.update_halo %8 on @g split_axes = [[], [2]] halo_sizes = [1, 1] : tensor<8x8xf32>
  return %9 : tensor<8x8xf32>
}
func.func @queries(%d: index) -> (index, index, index) {
  %0:3 = mesh.process_multi_index on @g : index, index, index
  %1 = shard.process_linear_index on @g : index
  %2:2 = mesh.mesh_shape @g axes = [2, 0] : index, index
  %3:2 = shard.neighbors_linear_indices on @g[%0#0, %0#1, %0#2] split_axes = [1] : index, index
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %4:2 = shard.shard_shape dims = [%d, 8] sharding = %s device = [%1, 1, %d] : index, index
  return %2#0, %3#1, %4#0 : index, index, index
}
// ---- expect
module {
  shard.grid @old(shape = 2x4)
  shard.grid @g(shape = 2x2x4)
  func.func @shardings(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = shard.sharding @g split_axes = [[0], [], [1]] halo_sizes = [1, 2, 0, 1] : !shard.sharding
    %1 = shard.sharding @old split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
    %2 = shard.shard %arg0 to %1 annotate_for_users : tensor<8x8xf32>
    %3 = shard.shard %arg0 to <@g, [[0], [2]], partial = max[1]> : tensor<8x8xf32>
    %4 = shard.shard %3 to <@g, []> annotate_for_users : tensor<8x8xf32>
    %5 = shard.get_sharding %2 : tensor<8x8xf32> -> !shard.sharding
    return %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @collectives(%arg0: tensor<8x8xf32>, %arg1: index) -> tensor<8x8xf32> {
    %0 = shard.all_gather %arg0 on @g grid_axes = [2] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
    %1 = shard.all_reduce %arg0 on @g grid_axes = [1, 0] reduction = bitwise_or : tensor<8x8xf32> -> tensor<8x8xf64>
    %2 = shard.all_to_all %arg0 on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<8x8xf32> -> tensor<16x4xf32>
    %3 = shard.gather %arg0 on @g grid_axes = [0, 2] gather_axis = 0 root = [1, %arg1] : (tensor<8x8xf32>, index) -> tensor<64x8xf32>
    %4 = shard.reduce_scatter %arg0 on @g grid_axes = [2] reduction = max scatter_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf64>
    %5 = shard.scatter %arg0 on @g grid_axes = [2] scatter_axis = 1 root = [3] : (tensor<8x8xf32>) -> tensor<8x2xf32>
    %6 = shard.shift %arg0 on @g grid_axes = [2] shift_axis = 2 offset = -1 rotate : tensor<8x8xf32> -> tensor<8x8xf32>
    %7 = shard.recv %6 on @g grid_axes = [0] source = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %8 = shard.send %7 on @g grid_axes = [0] destination = [%arg1] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
    %9 = shard.update_halo %8 on @g split_axes = [[], [2]] halo_sizes = [1, 1] : tensor<8x8xf32>
    return %9 : tensor<8x8xf32>
  }
  func.func @queries(%arg0: index) -> (index, index, index) {
    %0:3 = shard.process_multi_index on @g : index, index, index
    %1 = shard.process_linear_index on @g : index
    %2:2 = shard.grid_shape @g axes = [2, 0] : index, index
    %3:2 = shard.neighbors_linear_indices on @g[%0#0, %0#1, %0#2] split_axes = [1] : index, index
    %4 = shard.sharding @g split_axes = [[0]] : !shard.sharding
    %5:2 = shard.shard_shape dims = [%arg0, 8] sharding = %4 device = [%1, 1, %arg0] : index, index
    return %2#0, %3#1, %5#0 : index, index, index
  }
}
