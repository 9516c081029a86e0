// RUN: shardc --print-after=shardc-share-panels
// Two devices multiply rows of their own with the same columns: each packs half of them. With few rows nothing is packed.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<80x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %z: tensor<16x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<256x256xf32>) -> (tensor<80x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<80x256xf32>, tensor<256x256xf32>) -> tensor<80x256xf32>
  %q = stablehlo.dot_general %z, %w, contracting_dims = [1] x [0] : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32>
  return %p, %q : tensor<80x256xf32>, tensor<16x256xf32>
}
// ---- expect
// after shardc-share-panels
module {
  func.func @main(%arg0: tensor<40x256xf32>, %arg1: tensor<8x256xf32>, %arg2: tensor<256x256xf32>) -> (tensor<40x256xf32>, tensor<8x256xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 1], [0, 0]]> : tensor<3x2xi64>, shardc.spread_results = array<i64: 2, 2>, shardc.whole_arrays} {
    %0 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.reshape %0 : (tensor<256x256xf32>) -> tensor<16x16x256x1xf32>
    %2 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [8]]> : tensor<2x1xi64>
    %3 = stablehlo.dynamic_slice %c_0, %2, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1x1xi64>) -> tensor<1xi64>
    %5 = stablehlo.convert %4 : tensor<1xi64>
    %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.dynamic_slice %1, %6, %c_1, %c_1, %c_1, sizes = [8, 16, 256, 1] : (tensor<16x16x256x1xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<8x16x256x1xf32>
    %8 = stablehlo.transpose %7, dims = [0, 2, 1, 3] {shardc.panel_columns = 16 : i64} : (tensor<8x16x256x1xf32>) -> tensor<8x256x16x1xf32>
    %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<8x256x16x1xf32>) -> tensor<16x256x16x1xf32>
    %10 = stablehlo.reshape %arg0 : (tensor<40x256xf32>) -> tensor<40x256x1xf32>
    %11 = stablehlo.dot_general %10, %9, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<40x256x1xf32>, tensor<16x256x16x1xf32>) -> tensor<40x16x16xf32>
    %12 = stablehlo.reshape %11 : (tensor<40x16x16xf32>) -> tensor<40x256xf32>
    %13 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<8x256xf32>) -> tensor<16x256xf32>
    %14 = stablehlo.dot_general %13, %arg2, contracting_dims = [1] x [0] : (tensor<16x256xf32>, tensor<256x256xf32>) -> tensor<16x256xf32>
    %15 = stablehlo.partition_id : tensor<ui32>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %c_3 = stablehlo.constant dense<[[0], [8]]> : tensor<2x1xi64>
    %16 = stablehlo.dynamic_slice %c_3, %15, %c_2, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %17 = stablehlo.reshape %16 : (tensor<1x1xi64>) -> tensor<1xi64>
    %18 = stablehlo.convert %17 : tensor<1xi64>
    %19 = stablehlo.reshape %18 : (tensor<1xi64>) -> tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %20 = stablehlo.dynamic_slice %14, %19, %c_4, sizes = [8, 256] : (tensor<16x256xf32>, tensor<i64>, tensor<i64>) -> tensor<8x256xf32>
    return %12, %20 : tensor<40x256xf32>, tensor<8x256xf32>
  }
}
