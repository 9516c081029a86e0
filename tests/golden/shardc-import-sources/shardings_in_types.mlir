// RUN: --shardc-import-sources
mesh.cluster @mesh0(rank = 2, dim_sizes = [2, 4])
func.func @main(%a: tensor<8x16xf32, #mesh.shard<[[0], []]>>, %b: tensor<16x32xf32, #mesh.shard<@mesh0, [[], [1]]>>) -> tensor<8x32xf32, #mesh.shard<[[0], [1]]>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32, #mesh.shard<[[0], []]>>, tensor<16x32xf32, #mesh.shard<@mesh0, [[], [1]]>>) -> tensor<8x32xf32, #mesh.shard<[[0], [1]]>>
  return %0 : tensor<8x32xf32, #mesh.shard<[[0], [1]]>>
}
// ---- expect
module {
  sdy.mesh @mesh0 = <["axis_0"=2, "axis_1"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh0, [{"axis_0"}, {}]>}, %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh0, [{}, {"axis_1"}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh0, [{"axis_0"}, {"axis_1"}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh0, [{"axis_0"}, {"axis_1"}]>]>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    return %0 : tensor<8x32xf32>
  }
}
