// RUN: not --sdy-lift-inlined-meshes
func.func @main(%arg0: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 1]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- expect
wrong_group_mesh.mlir:3:8: error: 'sdy.mesh' op sorted device ids must be iota(product(axes)), got: 1, 1
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.r...
         ^
