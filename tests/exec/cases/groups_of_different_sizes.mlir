// Sums and extrema over groups of different sizes, whose rows -1 fills: at their ends, between the members, and before them; of one device, and of a large array.
// tolerance: 1e-6
sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<16xi32>, %f: tensor<16x3xf32>, %l: tensor<64x8192xf32>) -> (tensor<16xi32>, tensor<16x3xf32>, tensor<16xi32>, tensor<64x8192xf32>, tensor<8x3xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xi32>) {
    %m = "stablehlo.all_reduce"(%b) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %s = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1, -1, -1, -1, -1], [2, 3, 4, 5, 6, 7]]> : tensor<2x6xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2xi32>) -> tensor<2xi32>
    sdy.return %m : tensor<2xi32>
  } : (tensor<16xi32>) -> tensor<16xi32>
  %1 = sdy.manual_computation(%f) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x3xf32>) {
    %n = stablehlo.exponential %b : tensor<2x3xf32>
    %m = "stablehlo.all_reduce"(%n) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[-1, 7, 2], [5, -1, -1], [0, -1, 6], [4, 1, 3]]> : tensor<4x3xi64>, use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    sdy.return %m : tensor<2x3xf32>
  } : (tensor<16x3xf32>) -> tensor<16x3xf32>
  %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xi32>) {
    %m = "stablehlo.all_reduce"(%b) ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %s = stablehlo.maximum %x, %y : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[6, -1], [3, 0], [-1, 4], [1, 7], [2, 5]]> : tensor<5x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<2xi32>) -> tensor<2xi32>
    sdy.return %m : tensor<2xi32>
  } : (tensor<16xi32>) -> tensor<16xi32>
  %3 = sdy.manual_computation(%l) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<8x8192xf32>) {
    %m = "stablehlo.all_reduce"(%b) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2, 3], [4, -1, -1, -1], [5, 6, 7, -1]]> : tensor<3x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<8x8192xf32>) -> tensor<8x8192xf32>
    sdy.return %m : tensor<8x8192xf32>
  } : (tensor<64x8192xf32>) -> tensor<64x8192xf32>
  %4 = sdy.manual_computation(%f) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<2x3xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %v = stablehlo.reshape %r : (tensor<3xf32>) -> tensor<1x3xf32>
    %m = "stablehlo.all_reduce"(%v) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2, 3, 4], [7, 6, 5, -1, -1]]> : tensor<2x5xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
    sdy.return %m : tensor<1x3xf32>
  } : (tensor<16x3xf32>) -> tensor<8x3xf32>
  return %0, %1, %2, %3, %4 : tensor<16xi32>, tensor<16x3xf32>, tensor<16xi32>, tensor<64x8192xf32>, tensor<8x3xf32>
}
