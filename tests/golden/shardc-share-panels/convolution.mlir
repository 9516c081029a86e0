// RUN: shardc --print-after=shardc-share-panels
// Two devices convolve an image each with the same filter: each packs half of its panels. An image that has fewer results than the window has places is no such case, however many images there are.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<2x8x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, %w: tensor<3x3x32x256xf32>, %z: tensor<64x8x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, %v: tensor<7x7x32x64xf32>) -> (tensor<2x6x6x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, tensor<64x2x2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x32xf32>, tensor<3x3x32x256xf32>) -> tensor<2x6x6x256xf32>
  %1 = stablehlo.convolution(%z, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<64x8x8x32xf32>, tensor<7x7x32x64xf32>) -> tensor<64x2x2x64xf32>
  return %0, %1 : tensor<2x6x6x256xf32>, tensor<64x2x2x64xf32>
}
// ---- expect
// after shardc-share-panels
module {
  func.func @main(%arg0: tensor<1x8x8x32xf32>, %arg1: tensor<3x3x32x256xf32>, %arg2: tensor<32x8x8x32xf32>, %arg3: tensor<7x7x32x64xf32>) -> (tensor<1x6x6x256xf32>, tensor<32x2x2x64xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>, shardc.spread_results = array<i64: 2, 2>, shardc.whole_arrays} {
    %0 = stablehlo.transpose %arg1, dims = [3, 0, 1, 2] : (tensor<3x3x32x256xf32>) -> tensor<256x3x3x32xf32>
    %1 = stablehlo.reshape %0 : (tensor<256x3x3x32xf32>) -> tensor<16x16x288x1xf32>
    %2 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [8]]> : tensor<2x1xi64>
    %3 = stablehlo.dynamic_slice %c_0, %2, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1x1xi64>) -> tensor<1xi64>
    %5 = stablehlo.convert %4 : tensor<1xi64>
    %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.dynamic_slice %1, %6, %c_1, %c_1, %c_1, sizes = [8, 16, 288, 1] : (tensor<16x16x288x1xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<8x16x288x1xf32>
    %8 = stablehlo.transpose %7, dims = [0, 2, 1, 3] {shardc.panel_columns = 16 : i64} : (tensor<8x16x288x1xf32>) -> tensor<8x288x16x1xf32>
    %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<8x288x16x1xf32>) -> tensor<16x288x16x1xf32>
    %10 = stablehlo.transpose %9, dims = [0, 2, 1, 3] : (tensor<16x288x16x1xf32>) -> tensor<16x16x288x1xf32>
    %11 = stablehlo.reshape %10 : (tensor<16x16x288x1xf32>) -> tensor<256x3x3x32xf32>
    %12 = stablehlo.transpose %11, dims = [1, 2, 3, 0] : (tensor<256x3x3x32xf32>) -> tensor<3x3x32x256xf32>
    %13 = stablehlo.convolution(%arg0, %12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, shardc.panel_columns = 16 : i64} : (tensor<1x8x8x32xf32>, tensor<3x3x32x256xf32>) -> tensor<1x6x6x256xf32>
    %14 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<32x8x8x32xf32>, tensor<7x7x32x64xf32>) -> tensor<32x2x2x64xf32>
    return %13, %14 : tensor<1x6x6x256xf32>, tensor<32x2x2x64xf32>
  }
}
