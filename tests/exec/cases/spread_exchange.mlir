// Exchanges of short pieces: each device reads its lines once, and stores their elements on all.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg1: tensor<2048x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg2: tensor<131072x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<32768x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, tensor<2048x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}, tensor<131072x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.negate %arg0 : tensor<4096x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"x", "y"}]> : tensor<4096x8xf32>
    %2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg3: tensor<512x8xf32>) {
      %5 = "stablehlo.all_to_all"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 1 : i64}> : (tensor<512x8xf32>) -> tensor<4096x1xf32>
      sdy.return %5 : tensor<4096x1xf32>
    } : (tensor<4096x8xf32>) -> tensor<32768x1xf32>
    %3 = sdy.reshard %arg1 <@mesh, [{}, {"y", "x"}]> : tensor<2048x16xi8>
    %4 = sdy.reshard %arg2 <@mesh, [{}, {"y"}]> : tensor<131072x4xbf16>
    return %1, %2, %3, %4 : tensor<4096x8xf32>, tensor<32768x1xf32>, tensor<2048x16xi8>, tensor<131072x4xbf16>
  }
}
