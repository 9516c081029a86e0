// RUN: --shardc-spread-rows
// Nothing of the row's size is made of the sum: devices sum their parts of rows, then over each other.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x256xf32>) -> tensor<64xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %2 = stablehlo.negate %1 : tensor<64xf32>
    return %2 : tensor<64xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x256xf32>) -> tensor<64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %2 = stablehlo.negate %1 : tensor<64xf32>
    return %2 : tensor<64xf32>
  }
}
