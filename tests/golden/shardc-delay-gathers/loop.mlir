// RUN: --shardc-delay-gathers
// The loop carries each device's rows of what its steps sum, and stacks them.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x512xf32>, %arg1: tensor<512x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) attributes {shardc.argument_replicas = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>} {
    %first = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %count = stablehlo.constant dense<4> : tensor<i32>
    %empty = stablehlo.constant dense<0.0> : tensor<4x64x512xf32>
    %0:3 = stablehlo.while(%i = %first, %x = %arg0, %stack = %empty) : tensor<i32>, tensor<64x512xf32>, tensor<4x64x512xf32>
    cond {
      %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %1 = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
      %2 = "stablehlo.reduce_scatter"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %m = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<64x512xf32>) -> tensor<32x512xf32>
      %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
      %4 = stablehlo.add %x, %3 : tensor<64x512xf32>
      %5 = stablehlo.reshape %4 : (tensor<64x512xf32>) -> tensor<1x64x512xf32>
      %6 = stablehlo.dynamic_update_slice %stack, %5, %i, %first, %first : (tensor<4x64x512xf32>, tensor<1x64x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x64x512xf32>
      %7 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %7, %4, %6 : tensor<i32>, tensor<64x512xf32>, tensor<4x64x512xf32>
    }
    %8 = stablehlo.dot_general %0#1, %arg1, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %9 = stablehlo.dynamic_slice %0#2, %one, %first, %first, sizes = [1, 64, 512] : (tensor<4x64x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x512xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x64x512xf32>) -> tensor<64x512xf32>
    %11 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    return %8, %11 : tensor<64x512xf32>, tensor<64x512xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<64x512xf32>, %arg1: tensor<512x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>) attributes {shardc.argument_replicas = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [32]]> : tensor<2x1xi64>
    %1 = stablehlo.dynamic_slice %c_0, %0, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %2 = stablehlo.reshape %1 : (tensor<1x1xi64>) -> tensor<1xi64>
    %3 = stablehlo.convert %2 : tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %c_3 = stablehlo.constant dense<4> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x64x512xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.dynamic_slice %arg0, %4, %c_4, sizes = [32, 512] : (tensor<64x512xf32>, tensor<i64>, tensor<i64>) -> tensor<32x512xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<4x32x512xf32>
    %6:3 = stablehlo.while(%iterArg = %c_1, %iterArg_6 = %5, %iterArg_7 = %cst_5) : tensor<i32>, tensor<32x512xf32>, tensor<4x32x512xf32>
    cond {
      %13 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %13 = "stablehlo.all_gather"(%iterArg_6) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x512xf32>) -> tensor<64x512xf32>
      %14 = stablehlo.dot_general %13, %arg1, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
      %15 = "stablehlo.reduce_scatter"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %20 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %20 : tensor<f32>
      }) : (tensor<64x512xf32>) -> tensor<32x512xf32>
      %c_8 = stablehlo.constant dense<0> : tensor<i64>
      %16 = stablehlo.add %iterArg_6, %15 : tensor<32x512xf32>
      %17 = stablehlo.reshape %16 : (tensor<32x512xf32>) -> tensor<1x32x512xf32>
      %18 = stablehlo.dynamic_update_slice %iterArg_7, %17, %iterArg, %c_1, %c_1 : (tensor<4x32x512xf32>, tensor<1x32x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x32x512xf32>
      %19 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %19, %16, %18 : tensor<i32>, tensor<32x512xf32>, tensor<4x32x512xf32>
    }
    %7 = "stablehlo.all_gather"(%6#2) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<4x32x512xf32>) -> tensor<4x64x512xf32>
    %8 = "stablehlo.all_gather"(%6#1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<32x512xf32>) -> tensor<64x512xf32>
    %9 = stablehlo.dot_general %8, %arg1, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %10 = stablehlo.dynamic_slice %7, %c_2, %c_1, %c_1, sizes = [1, 64, 512] : (tensor<4x64x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x512xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x64x512xf32>) -> tensor<64x512xf32>
    %12 = stablehlo.dot_general %11, %arg1, contracting_dims = [1] x [0] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    return %9, %12 : tensor<64x512xf32>, tensor<64x512xf32>
  }
}
