// RUN: not --shardc-import-sources
mesh.cluster @mesh0(rank = 2, dim_sizes = [2, 4])
func.func @f(%a: tensor<8xf32, #mesh.shard<@other, [[0]]>>) -> tensor<8xf32, #mesh.shard<[[2]]>> {
  %0 = "stablehlo.abs"(%a) : (tensor<8xf32, #mesh.shard<@other, [[0]]>>) -> tensor<8xf32, #mesh.shard<[[2]]>>
  return %0 : tensor<8xf32, #mesh.shard<[[2]]>>
}
// ---- expect
shardings_in_types_of_no_grid.mlir:3:1: error: #mesh.shard<@other, [[0]]> names a grid that is not declared
  func.func @f(%a: tensor<8xf32, #mesh.shard<@other, [[0]]>>) -> tensor<8xf32, #mesh.shard<[[2]]>> {
  ^
shardings_in_types_of_no_grid.mlir:3:1: error: #mesh.shard<[[2]]> has axes that grid @mesh0 lacks, an axis twice, or too many dimensions
  func.func @f(%a: tensor<8xf32, #mesh.shard<@other, [[0]]>>) -> tensor<8xf32, #mesh.shard<[[2]]>> {
  ^
