// RUN: --shardc-simplify-layout
// Devices that keep columns of a sum of products make rows of it, over the K of all, and take the columns of the others' rows.
func.func @main(%a: tensor<512x32xf32>, %b: tensor<32x128xf32>) -> tensor<512x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x32xf32>, tensor<32x128xf32>) -> tensor<512x128xf32>
  %1 = "stablehlo.reduce_scatter"(%0) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<512x128xf32>) -> tensor<512x32xf32>
  return %1 : tensor<512x32xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<512x32xf32>, %arg1: tensor<32x128xf32>) -> tensor<512x32xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<512x32xf32>) -> tensor<512x1x32xf32>
    %1 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> {shardc.uncounted} : (tensor<512x1x32xf32>) -> tensor<128x4x32xf32>
    %2 = stablehlo.reshape %arg1 : (tensor<32x128xf32>) -> tensor<1x32x128xf32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<1x32x128xf32>) -> tensor<4x32x128xf32>
    %4 = stablehlo.dot_general %1, %3, contracting_dims = [1, 2] x [0, 1] : (tensor<128x4x32xf32>, tensor<4x32x128xf32>) -> tensor<128x128xf32>
    %5 = "stablehlo.all_to_all"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<128x128xf32>) -> tensor<512x32xf32>
    return %5 : tensor<512x32xf32>
  }
}
