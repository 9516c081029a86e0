// RUN: --shardc-spread-rows
// Each of two devices makes half of the rows, whole; what leaves them goes back to where it was.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<256xf32>) -> (tensor<64x256xf32>, tensor<64xf32>) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<64x256xf32>
    %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<64xf32>
    %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<64xf32>) -> tensor<64x256xf32>
    %5 = stablehlo.subtract %1, %4 : tensor<64x256xf32>
    %6 = stablehlo.exponential %5 : tensor<64x256xf32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<64xf32>
    %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<64xf32>) -> tensor<64x256xf32>
    %10 = stablehlo.divide %6, %9 : tensor<64x256xf32>
    return %10, %8 : tensor<64x256xf32>, tensor<64xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x256xf32>, %arg1: tensor<256xf32>) -> (tensor<64x256xf32>, tensor<64xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reshape %arg1 : (tensor<256xf32>) -> tensor<1x256xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.spread_over = 2 : i64} : (tensor<1x256xf32>) -> tensor<2x256xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<2x256xf32>) -> tensor<32x2x256xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<64x256xf32>) -> tensor<64x1x256xf32>
    %4 = "stablehlo.all_to_all"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> {shardc.spread_over = 2 : i64} : (tensor<64x1x256xf32>) -> tensor<32x2x256xf32>
    %5 = stablehlo.add %4, %2 : tensor<32x2x256xf32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.maximum across dimensions = [1, 2] {shardc.spread_over = 2 : i64} : (tensor<32x2x256xf32>, tensor<f32>) -> tensor<32xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<32xf32>) -> tensor<32x256xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 2] : (tensor<32x256xf32>) -> tensor<32x2x256xf32>
    %9 = stablehlo.subtract %5, %8 : tensor<32x2x256xf32>
    %10 = stablehlo.exponential %9 : tensor<32x2x256xf32>
    %11 = stablehlo.reduce(%10 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] {shardc.spread_over = 2 : i64} : (tensor<32x2x256xf32>, tensor<f32>) -> tensor<32xf32>
    %12 = "stablehlo.all_gather"(%11) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.spread_over = 2 : i64} : (tensor<32xf32>) -> tensor<64xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<32xf32>) -> tensor<32x256xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 2] : (tensor<32x256xf32>) -> tensor<32x2x256xf32>
    %15 = stablehlo.divide %10, %14 : tensor<32x2x256xf32>
    %16 = "stablehlo.all_to_all"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> {shardc.spread_over = 2 : i64} : (tensor<32x2x256xf32>) -> tensor<64x1x256xf32>
    %17 = stablehlo.reshape %16 : (tensor<64x1x256xf32>) -> tensor<64x256xf32>
    return %17, %12 : tensor<64x256xf32>, tensor<64xf32>
  }
}
