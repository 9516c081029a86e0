// RUN: not --symbol-dce
// In a list of numbers and operands there is an operand for each number that is not written.
shard.grid @g(shape = 2)
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.update_halo %x on @g split_axes = [[0]] halo_sizes = [-9223372036854775808, 1] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @sharding(%i: i64) {
  %0 = "shard.sharding"(%i) <{grid = @g, split_axes = #shard<axisarray[[0]]>, static_halo_sizes = array<i64: 1, 1>}> : (i64) -> !shard.sharding
  return
}
func.func @root(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.broadcast %x on @g grid_axes = [0] root = [-9223372036854775808] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @part() -> index {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard_shape dims = [8] sharding = %s device = [-9223372036854775808] : index
  return %0 : index
}
func.func @slice(%x: tensor<8xf32>) -> tensor<2xf32> {
  %0 = tensor.extract_slice %x[-9223372036854775808] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @index(%i: index) -> (index, index) {
  %0:2 = "affine.delinearize_index"(%i, %i) <{static_basis = array<i64: 2, 3>}> : (index, index) -> (index, index)
  return %0#0, %0#1 : index, index
}
// ---- expect
mixed_numbers.mlir:5:8: error: 'shard.update_halo' op expected 1 operands for the numbers that are not written, but found 0
    %0 = shard.update_halo %x on @g split_axes = [[0]] halo_sizes = [-9223372036854775808, 1] : tensor<8xf32>
         ^
mixed_numbers.mlir:9:8: error: 'shard.sharding' op expected 0 operands for the numbers that are not written, but found 1
    %0 = "shard.sharding"(%i) <{grid = @g, split_axes = #shard<axisarray[[0]]>, static_halo_sizes = array<i64: 1, 1>}> : (i64) -> !shard.sharding
         ^
mixed_numbers.mlir:13:8: error: 'shard.broadcast' op expected 1 operands for the numbers that are not written, but found 0
    %0 = shard.broadcast %x on @g grid_axes = [0] root = [-9223372036854775808] : (tensor<8xf32>) -> tensor<8xf32>
         ^
mixed_numbers.mlir:18:8: error: 'shard.shard_shape' op expected 1 operands for the numbers that are not written, but found 0
    %0 = shard.shard_shape dims = [8] sharding = %s device = [-9223372036854775808] : index
         ^
mixed_numbers.mlir:22:8: error: 'tensor.extract_slice' op expected 1 operands for the numbers that are not written, but found 0
    %0 = tensor.extract_slice %x[-9223372036854775808] [2] [1] : tensor<8xf32> to tensor<2xf32>
         ^
mixed_numbers.mlir:26:10: error: 'affine.delinearize_index' op expected 0 operands for the numbers that are not written, but found 1
    %0:2 = "affine.delinearize_index"(%i, %i) <{static_basis = array<i64: 2, 3>}> : (index, index) -> (index, index)
           ^
