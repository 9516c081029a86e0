// RUN: --shardc-delay-gathers
// What another operand, or an argument, differs in from device to device stays as it is; so does what the program returns.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<32x512xf32>, %arg1: tensor<64x512xf32>, %arg2: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64xf32>, tensor<64xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1]]> : tensor<3x2xi64>} {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<32x512xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<64x512xf32>
    %3 = stablehlo.multiply %arg2, %1 : tensor<64x512xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    %5 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %6 = stablehlo.exponential %5 : tensor<64x512xf32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    return %2, %4, %7 : tensor<64x512xf32>, tensor<64xf32>, tensor<64xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<32x512xf32>, %arg1: tensor<64x512xf32>, %arg2: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<64xf32>, tensor<64xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1]]> : tensor<3x2xi64>} {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<32x512xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<64x512xf32>
    %3 = stablehlo.multiply %arg2, %1 : tensor<64x512xf32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    %5 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %6 = stablehlo.exponential %5 : tensor<64x512xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    return %2, %4, %7 : tensor<64x512xf32>, tensor<64xf32>, tensor<64xf32>
  }
}
