// RUN: --shardc-import-ragged
// Rows are gathered, then a loop takes the pieces that are meant for the device.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<4x2xf32>, %arg2: tensor<2xi32>, %arg3: tensor<2xi32>, %arg4: tensor<2xi32>, %arg5: tensor<2xi32>) -> tensor<4x2xf32> {
    %0 = stablehlo.custom_call @ragged_all_to_all(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
// ---- expect
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<4x2xf32>, %arg2: tensor<2xi32>, %arg3: tensor<2xi32>, %arg4: tensor<2xi32>, %arg5: tensor<2xi32>) -> tensor<4x2xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<4x2xf32>) -> tensor<1x4x2xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x4x2xf32>) -> tensor<2x4x2xf32>
    %2 = stablehlo.reshape %arg2 : (tensor<2xi32>) -> tensor<1x2xi32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<2x2xi32>
    %4 = stablehlo.reshape %arg3 : (tensor<2xi32>) -> tensor<1x2xi32>
    %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<2x2xi32>
    %6 = stablehlo.reshape %arg4 : (tensor<2xi32>) -> tensor<1x2xi32>
    %7 = "stablehlo.all_gather"(%6) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x2xi32>) -> tensor<2x2xi32>
    %c = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = stablehlo.dynamic_slice %c, %8, sizes = [1] : (tensor<2xi32>, tensor<ui32>) -> tensor<1xi32>
    %10 = stablehlo.reshape %9 : (tensor<1xi32>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %c_4 = stablehlo.constant dense<4> : tensor<i32>
    %11 = stablehlo.multiply %10, %c_2 : tensor<i32>
    %12 = stablehlo.convert %c_0 : (tensor<i32>) -> tensor<f32>
    %13:2 = stablehlo.while(%iterArg = %c_0, %iterArg_5 = %arg1) : tensor<i32>, tensor<4x2xf32>
    cond {
      %14 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14 = stablehlo.divide %iterArg, %c_2 : tensor<i32>
      %15 = stablehlo.multiply %14, %c_2 : tensor<i32>
      %16 = stablehlo.subtract %iterArg, %15 : tensor<i32>
      %17 = stablehlo.add %11, %16 : tensor<i32>
      %18 = stablehlo.dynamic_slice %3, %14, %17, sizes = [1, 1] : (tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
      %19 = stablehlo.reshape %18 : (tensor<1x1xi32>) -> tensor<i32>
      %20 = stablehlo.convert %19 : tensor<i32>
      %21 = stablehlo.dynamic_slice %5, %14, %17, sizes = [1, 1] : (tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
      %22 = stablehlo.reshape %21 : (tensor<1x1xi32>) -> tensor<i32>
      %23 = stablehlo.convert %22 : tensor<i32>
      %24 = stablehlo.dynamic_slice %7, %14, %17, sizes = [1, 1] : (tensor<2x2xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
      %25 = stablehlo.reshape %24 : (tensor<1x1xi32>) -> tensor<i32>
      %26 = stablehlo.convert %25 : tensor<i32>
      %27 = stablehlo.dynamic_slice %1, %14, %c_0, %c_0, sizes = [1, 4, 2] : (tensor<2x4x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x2xf32>
      %28 = stablehlo.reshape %27 : (tensor<1x4x2xf32>) -> tensor<4x2xf32>
      %29 = stablehlo.pad %28, %12, low = [4, 0], high = [4, 0], interior = [0, 0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<12x2xf32>
      %30 = stablehlo.subtract %20, %26 : tensor<i32>
      %31 = stablehlo.add %30, %c_4 : tensor<i32>
      %32 = stablehlo.dynamic_slice %29, %31, %c_0, sizes = [4, 2] : (tensor<12x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
      %33 = stablehlo.iota dim = 0 : tensor<4x2xi32>
      %34 = stablehlo.add %26, %23 : tensor<i32>
      %35 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
      %36 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
      %37 = stablehlo.compare GE, %33, %35 : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi1>
      %38 = stablehlo.compare LT, %33, %36 : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi1>
      %39 = stablehlo.and %37, %38 : tensor<4x2xi1>
      %40 = stablehlo.select %39, %32, %iterArg_5 : tensor<4x2xi1>, tensor<4x2xf32>
      %41 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %41, %40 : tensor<i32>, tensor<4x2xf32>
    }
    return %13#1 : tensor<4x2xf32>
  }
}
