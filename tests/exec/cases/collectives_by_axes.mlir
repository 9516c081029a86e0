// Collectives of manual computations whose groups are axes of a mesh, parts of axes, lists without a channel, and lists of device ids.
module @collectives_by_axes {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  sdy.mesh @turned = <["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func public @main(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<16x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%a: tensor<2x2xf32>) {
      %s = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %t = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      sdy.return %s : tensor<2x2xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.manual_computation(%x) in_shardings=[<@turned, [{"x"}, {"y"}]>] out_shardings=[<@turned, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%a: tensor<2x2xf32>) {
      %s = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>, #stablehlo.mesh_axis<name = "y", size = 2>], device_ids = dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = #stablehlo.sub_axis_info<pre_size = 2, size = 2>>]>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<4x2xf32>
      sdy.return %s : tensor<4x2xf32>
    } : (tensor<8x4xf32>) -> tensor<16x4xf32>
    %2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%a: tensor<2x2xf32>) {
      %s = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1], [2, 3], [5, 4], [6, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf32>) -> tensor<1x4xf32>
      %t = stablehlo.reshape %s : (tensor<1x4xf32>) -> tensor<2x2xf32>
      sdy.return %t : tensor<2x2xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x"} (%a: tensor<2x4xf32>) {
      %n = stablehlo.negate %a : tensor<2x4xf32>
      %i = sdy.manual_computation(%n) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%b: tensor<1x4xf32>) {
        %p = "stablehlo.collective_permute"(%b) <{source_target_pairs = dense<[[0, 7], [1, 2], [2, 1], [7, 0], [3, 4], [4, 3], [5, 6], [6, 5]]> : tensor<8x2xi64>}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
        sdy.return %p : tensor<1x4xf32>
      } : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %m = stablehlo.add %i, %n : tensor<2x4xf32>
      sdy.return %m : tensor<2x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0, %1, %2, %3 : tensor<8x4xf32>, tensor<16x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}
