// RUN: not --convert-shard-to-mpi
// Annotations are of a program for all devices, which has to be made one device's before.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %y = shard.shard %x to %s : tensor<4xf32>
  return %y : tensor<4xf32>
}
// ---- expect
program_for_all_devices.mlir:6:8: error: failed to legalize operation 'shard.shard' that was explicitly marked illegal: it is of a program for all devices; shard-partition makes it one device's
    %y = shard.shard %x to %s : tensor<4xf32>
         ^
