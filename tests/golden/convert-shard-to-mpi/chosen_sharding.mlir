// RUN: not --convert-shard-to-mpi
// A sharding that a condition chooses has no tensors.
shard.grid @g(shape = 2x3)
func.func @a(%c: i1) -> !shard.sharding {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %r = scf.if %c -> (!shard.sharding) {
    scf.yield %s : !shard.sharding
  } else {
    scf.yield %t : !shard.sharding
  }
  return %r : !shard.sharding
}
// ---- expect
chosen_sharding.mlir:12:3: error: 'func.return' op needs a shard.sharding as its sharding, not one that comes from elsewhere
    return %r : !shard.sharding
    ^
