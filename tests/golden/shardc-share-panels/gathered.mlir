// RUN: shardc --print-after=shardc-share-panels
// The sum over two devices is a product over the K of both, of which each of them makes half of the columns. Four devices hold the same rows of that
// operand, and each of them packs a fourth of its columns, gathered from both.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<512x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<1024x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x512xf32>) -> tensor<512x512xf32>
    return %0 : tensor<512x512xf32>
  }
}
// ---- expect
// after shardc-share-panels
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<128x512xf32>, %arg1: tensor<512x512xf32>) -> tensor<128x512xf32> attributes {shardc.argument_replicas = dense<[[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 0, 1, 0, 1, 0, 1]]> : tensor<2x8xi64>, shardc.spread_results = array<i64: 8>} {
    %0 = stablehlo.reshape %arg0 : (tensor<128x512xf32>) -> tensor<128x1x512xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<128x1x512xf32>) -> tensor<128x2x512xf32>
    %2 = stablehlo.reshape %arg1 : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
    %3 = "stablehlo.all_to_all"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> {shardc.uncounted} : (tensor<1x512x512xf32>) -> tensor<2x512x256xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x512x256xf32>) -> tensor<1024x256xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<1024x256xf32>) -> tensor<256x1024xf32>
    %6 = stablehlo.reshape %5 : (tensor<256x1024xf32>) -> tensor<16x16x1024x1xf32>
    %7 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [0], [4], [4], [8], [8], [12], [12]]> : tensor<8x1xi64>
    %8 = stablehlo.dynamic_slice %c_0, %7, %c, sizes = [1, 1] : (tensor<8x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %9 = stablehlo.reshape %8 : (tensor<1x1xi64>) -> tensor<1xi64>
    %10 = stablehlo.convert %9 : tensor<1xi64>
    %11 = stablehlo.reshape %10 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.dynamic_slice %6, %11, %c_1, %c_1, %c_1, sizes = [4, 16, 1024, 1] : (tensor<16x16x1024x1xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x16x1024x1xf32>
    %13 = stablehlo.transpose %12, dims = [0, 2, 1, 3] {shardc.panel_columns = 16 : i64} : (tensor<4x16x1024x1xf32>) -> tensor<4x1024x16x1xf32>
    %14 = "stablehlo.all_gather"(%13) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<4x1024x16x1xf32>) -> tensor<16x1024x16x1xf32>
    %15 = stablehlo.reshape %1 : (tensor<128x2x512xf32>) -> tensor<128x1024xf32>
    %16 = stablehlo.reshape %15 : (tensor<128x1024xf32>) -> tensor<128x1024x1xf32>
    %17 = stablehlo.dot_general %16, %14, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<128x1024x1xf32>, tensor<16x1024x16x1xf32>) -> tensor<128x16x16xf32>
    %18 = stablehlo.reshape %17 : (tensor<128x16x16xf32>) -> tensor<128x256xf32>
    %19 = "stablehlo.all_gather"(%18) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<128x256xf32>) -> tensor<128x512xf32>
    return %19 : tensor<128x512xf32>
  }
}
