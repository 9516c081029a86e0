// RUN: --shardc-delay-gathers
// The sum over two devices and a scale of the rows are computed of each device's rows; the product gathers them.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x512xf32>, %arg1: tensor<64x512xf32>, %arg2: tensor<512x8xf32>) -> tensor<64x8xf32> attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1]]> : tensor<3x2xi64>} {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<64x512xf32>) -> tensor<32x512xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<64x512xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
    %5 = stablehlo.divide %2, %4 : tensor<64x512xf32>
    %6 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x8xf32>) -> tensor<64x8xf32>
    return %6 : tensor<64x8xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x512xf32>, %arg1: tensor<64x512xf32>, %arg2: tensor<512x8xf32>) -> tensor<64x8xf32> attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1]]> : tensor<3x2xi64>} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [32]]> : tensor<2x1xi64>
    %1 = stablehlo.dynamic_slice %c_0, %0, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %2 = stablehlo.reshape %1 : (tensor<1x1xi64>) -> tensor<1xi64>
    %3 = stablehlo.convert %2 : tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %13 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<64x512xf32>) -> tensor<32x512xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %6 = stablehlo.dynamic_slice %arg1, %4, %c_1, sizes = [32, 512] : (tensor<64x512xf32>, tensor<i64>, tensor<i64>) -> tensor<32x512xf32>
    %7 = stablehlo.add %6, %5 : tensor<32x512xf32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x512xf32>, tensor<f32>) -> tensor<32xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<32xf32>) -> tensor<32x512xf32>
    %10 = stablehlo.divide %7, %9 : tensor<32x512xf32>
    %11 = "stablehlo.all_gather"(%10) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %12 = stablehlo.dot_general %11, %arg2, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x8xf32>) -> tensor<64x8xf32>
    return %12 : tensor<64x8xf32>
  }
}
