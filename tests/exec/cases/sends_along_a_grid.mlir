// Pairs of shard.send and shard.recv to places that are computed and to fixed ones, a root that is computed, neighbours and shapes of parts.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, index, index, index, index) {
  %i, %j = shard.process_multi_index on @g : index, index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = arith.addi %j, %c1 : index
  %next = arith.remsi %n, %c4 : index
  %p = arith.addi %j, %c3 : index
  %prev = arith.remsi %p, %c4 : index
  %s = shard.send %x on @g grid_axes = [1] destination = [%next] : (tensor<3xf32>, index) -> tensor<3xf32>
  %r = shard.recv %x on @g grid_axes = [1] source = [%prev] : (tensor<3xf32>, index) -> tensor<3xf32>
  %s2 = shard.send %x on @g grid_axes = [0, 1] destination = [1, 2] : (tensor<3xf32>) -> tensor<3xf32>
  %r2 = shard.recv %s2 on @g grid_axes = [0, 1] source = [0, 1] : (tensor<3xf32>) -> tensor<3xf32>
  %b = shard.broadcast %x on @g grid_axes = [0] root = [%c1] : (tensor<3xf32>, index) -> tensor<3xf32>
  %dn, %up = shard.neighbors_linear_indices on @g[%i, %j] split_axes = [1] : index, index
  %sh = shard.sharding @g split_axes = [[1], [0]] : !shard.sharding
  %sz:2 = shard.shard_shape dims = [10, 7] sharding = %sh device = [%i, %j] : index, index
  return %r, %r2, %b, %dn, %up, %sz#0, %sz#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, index, index, index, index
}
