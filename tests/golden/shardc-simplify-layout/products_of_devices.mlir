// RUN: --shardc-simplify-layout
// A sum over devices of products is one product over all of their K's, where the operands are small beside the result: not the second one.
module @device_program attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<32x512xf32>, %b: tensor<32x256xf32>, %c: tensor<512x4096xf32>, %d: tensor<4096x256xf32>) -> (tensor<512x256xf32>, tensor<512x256xf32>, tensor<512x64xf32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<32x512xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
    %1 = "stablehlo.all_reduce"(%0) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<512x256xf32>) -> tensor<512x256xf32>
    %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<512x4096xf32>, tensor<4096x256xf32>) -> tensor<512x256xf32>
    %3 = "stablehlo.all_reduce"(%2) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids} : (tensor<512x256xf32>) -> tensor<512x256xf32>
    %4 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<32x512xf32>, tensor<32x256xf32>) -> tensor<512x256xf32>
    %5 = "stablehlo.reduce_scatter"(%4) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids} : (tensor<512x256xf32>) -> tensor<512x64xf32>
    return %1, %3, %5 : tensor<512x256xf32>, tensor<512x256xf32>, tensor<512x64xf32>
  }
}
// ---- expect
module @device_program attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%arg0: tensor<32x512xf32>, %arg1: tensor<32x256xf32>, %arg2: tensor<512x4096xf32>, %arg3: tensor<4096x256xf32>) -> (tensor<512x256xf32>, tensor<512x256xf32>, tensor<512x64xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<32x512xf32>) -> tensor<1x32x512xf32>
    %1 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> {shardc.uncounted} : (tensor<1x32x512xf32>) -> tensor<2x32x256xf32>
    %2 = stablehlo.reshape %arg1 : (tensor<32x256xf32>) -> tensor<1x32x256xf32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<1x32x256xf32>) -> tensor<2x32x256xf32>
    %4 = stablehlo.dot_general %1, %3, contracting_dims = [0, 1] x [0, 1] : (tensor<2x32x256xf32>, tensor<2x32x256xf32>) -> tensor<256x256xf32>
    %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<256x256xf32>) -> tensor<512x256xf32>
    %6 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<512x4096xf32>, tensor<4096x256xf32>) -> tensor<512x256xf32>
    %7 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<512x256xf32>) -> tensor<512x256xf32>
    %8 = stablehlo.reshape %arg0 : (tensor<32x512xf32>) -> tensor<1x32x512xf32>
    %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<1x32x512xf32>) -> tensor<4x32x512xf32>
    %10 = stablehlo.reshape %arg1 : (tensor<32x256xf32>) -> tensor<1x32x256xf32>
    %11 = "stablehlo.all_to_all"(%10) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 2 : i64}> {shardc.uncounted} : (tensor<1x32x256xf32>) -> tensor<4x32x64xf32>
    %12 = stablehlo.dot_general %9, %11, contracting_dims = [0, 1] x [0, 1] {shardc.spread_over = 1 : i64} : (tensor<4x32x512xf32>, tensor<4x32x64xf32>) -> tensor<512x64xf32>
    return %5, %7, %12 : tensor<512x256xf32>, tensor<512x256xf32>, tensor<512x64xf32>
  }
}
