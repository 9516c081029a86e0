// RUN: --shardc-import-sources
// A function that calls collectives is one device's: tiles of all devices are stacked in a new first dimension.
mesh.mesh @m(shape = 2)
func.func @main(%x: tensor<4xi32>) -> tensor<4xi64> {
  %0 = mesh.all_reduce %x on @m mesh_axes = [0] reduction = <max> : tensor<4xi32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
// ---- expect
module {
  sdy.mesh @m = <["axis_0"=2]>
  func.func @main(%arg0: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"axis_0"}, {}]>}) -> tensor<2x4xi64> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"axis_0"}, {}]>] out_shardings=[<@m, [{"axis_0"}, {}]>] manual_axes={"axis_0"} (%arg1: tensor<1x4xi32>) {
      %1 = stablehlo.reshape %arg1 : (tensor<1x4xi32>) -> tensor<4xi32>
      %2 = stablehlo.convert %1 : (tensor<4xi32>) -> tensor<4xi64>
      %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i64>, %arg3: tensor<i64>):
        %5 = stablehlo.maximum %arg2, %arg3 : tensor<i64>
        stablehlo.return %5 : tensor<i64>
      }) : (tensor<4xi64>) -> tensor<4xi64>
      %4 = stablehlo.reshape %3 : (tensor<4xi64>) -> tensor<1x4xi64>
      sdy.return %4 : tensor<1x4xi64>
    } : (tensor<2x4xi32>) -> tensor<2x4xi64>
    return %0 : tensor<2x4xi64>
  }
}
