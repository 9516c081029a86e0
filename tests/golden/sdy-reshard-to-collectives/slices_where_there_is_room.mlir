// RUN: --sdy-reshard-to-collectives
sdy.mesh @mesh = <["z"=8, "a"=4]>
func.func @rest_of_an_axis(%arg0: tensor<8x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {"a":(2)2}, {}]>}) -> tensor<8x6x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"z"}, {}, {"a":(1)2}]> : tensor<8x6x8xf32>
  return %0 : tensor<8x6x8xf32>
}
func.func @elsewhere(%arg0: tensor<4x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}, {}]>}) -> tensor<4x16x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"a":(2)2}, {"z":(2)4}]> : tensor<4x16x8xf32>
  return %0 : tensor<4x16x8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["z"=8, "a"=4]>
  func.func @rest_of_an_axis(%arg0: tensor<8x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {"a":(2)2}, {}]>}) -> tensor<8x6x8xf32> {
    %0 = sdy.all_slice [{"z":(1)4}, {}, {"z":(4)2}] %arg0 out_sharding=<@mesh, [{"a":(1)2, "z":(1)4}, {"a":(2)2}, {"z":(4)2}]> : tensor<8x6x8xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"z"}, {"a":(2)2}, {"a":(1)2}]> : tensor<8x6x8xf32>
    %2 = sdy.all_gather [{}, {"a":(2)2}, {}] %1 out_sharding=<@mesh, [{"z"}, {}, {"a":(1)2}]> : tensor<8x6x8xf32>
    return %2 : tensor<8x6x8xf32>
  }
  func.func @elsewhere(%arg0: tensor<4x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}, {}]>}) -> tensor<4x16x8xf32> {
    %0 = sdy.all_slice [{}, {}, {"a":(2)2}] %arg0 out_sharding=<@mesh, [{}, {"z"}, {"a":(2)2}]> : tensor<4x16x8xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{}, {"a":(2)2, "z":(1)2, "z":(4)2}, {"z":(2)2}]> : tensor<4x16x8xf32>
    %2 = sdy.all_to_all [{"z":(4)2}: 1->2] %1 out_sharding=<@mesh, [{}, {"a":(2)2, "z":(1)2}, {"z":(2)4}]> : tensor<4x16x8xf32>
    %3 = sdy.all_gather [{}, {"z":(1)2}, {}] %2 out_sharding=<@mesh, [{}, {"a":(2)2}, {"z":(2)4}]> : tensor<4x16x8xf32>
    return %3 : tensor<4x16x8xf32>
  }
}
