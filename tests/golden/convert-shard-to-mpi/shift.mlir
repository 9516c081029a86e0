// RUN: not --convert-shard-to-mpi
// Not all collectives have a conversion.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- expect
shift.mlir:5:8: error: failed to legalize operation 'shard.shift' that was explicitly marked illegal: there is no conversion of this collective into calls of MPI; the program runs without one (shardc run)
    %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 : tensor<4xf32> -> tensor<4xf32>
         ^
