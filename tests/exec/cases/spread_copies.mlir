// tolerance: 1e-6
// Results that several devices keep: gathered along both dimensions, sums with elementwise ops behind, with all devices and with half of them.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<64x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg1: tensor<64x48xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<64x96xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg3: tensor<512x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<64x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<64x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<64x48xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<64x96xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<64x48xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<64x48xf32>
    %2 = stablehlo.negate %1 : tensor<64x48xf32>
    %3 = sdy.reshard %arg1 <@mesh, [{"x"}, {}]> : tensor<64x48xbf16>
    %4 = stablehlo.tanh %arg2 : tensor<64x96xf32>
    %5 = sdy.manual_computation(%arg3) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg4: tensor<128x8xf32>) {
      %6 = "stablehlo.all_reduce"(%arg4) <{replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<128x8xf32>) -> tensor<128x8xf32>
      %7 = stablehlo.abs %6 : tensor<128x8xf32>
      %8 = stablehlo.reshape %7 : (tensor<128x8xf32>) -> tensor<16x64xf32>
      %9 = stablehlo.concatenate %8, %8, %8, %8, dim = 0 : (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<64x64xf32>
      sdy.return %9 : tensor<64x64xf32>
    } : (tensor<512x8xf32>) -> tensor<512x64xf32>
    return %0, %2, %3, %4, %5 : tensor<64x48xf32>, tensor<64x48xf32>, tensor<64x48xbf16>, tensor<64x96xf32>, tensor<512x64xf32>
  }
}
