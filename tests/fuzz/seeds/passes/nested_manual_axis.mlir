// A manual computation that communicates itself, between arrays that lie otherwise than it takes them; parts of an axis.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) -> (tensor<8x16xf32>, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%part: tensor<2x16xf32>) {
%z63255 = sdy.manual_computation(%part) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={} (%m: tensor<2x16xf32>) {
  sdy.return %m : tensor<2x16xf32>
} : (tensor<2x16xf32>) -> tensor<2x16xf32>
    %sum = "stablehlo.all_reduce"(%z63255) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %both = stablehlo.add %x, %y : tensor<f32>
%z6597 = sdy.named_computation<"foo">(%both) (%m: tensor<f32>) {
  sdy.return %m : tensor<f32>
} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %both : tensor<f32>
    }) : (tensor<2x16xf32>) -> tensor<2x16xf32>
    sdy.return %sum : tensor<2x16xf32>
  } : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.exponential %b : tensor<16x8xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<16x8xf32>
}
