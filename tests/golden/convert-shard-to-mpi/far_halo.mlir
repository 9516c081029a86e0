// RUN: not --convert-shard-to-mpi
// A halo comes from the nearest neighbour alone.
shard.grid @g(shape = 2)
func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = shard.update_halo %x on @g split_axes = [[0]] halo_sizes = [1, 3] : tensor<6xf32>
  return %0 : tensor<6xf32>
}
// ---- expect
far_halo.mlir:5:8: error: 'shard.update_halo' op needs halos that the neighbours have: of dimension 0 no more than what is left without them, 2
    %0 = shard.update_halo %x on @g split_axes = [[0]] halo_sizes = [1, 3] : tensor<6xf32>
         ^
