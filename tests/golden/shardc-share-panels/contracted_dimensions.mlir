// RUN: shardc --print-after=shardc-share-panels
// Two contracted dimensions, of which the last one of the product is the first one of the right operand: panels have them in the product's order.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<80x4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %w: tensor<64x4x256xf32>) -> (tensor<80x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1, 2] x [1, 0] : (tensor<80x4x64xf32>, tensor<64x4x256xf32>) -> tensor<80x256xf32>
  return %p : tensor<80x256xf32>
}
// ---- expect
// after shardc-share-panels
module {
  func.func @main(%arg0: tensor<40x4x64xf32>, %arg1: tensor<64x4x256xf32>) -> tensor<40x256xf32> attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, shardc.spread_results = array<i64: 2>, shardc.whole_arrays} {
    %0 = stablehlo.transpose %arg1, dims = [2, 1, 0] : (tensor<64x4x256xf32>) -> tensor<256x4x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<256x4x64xf32>) -> tensor<16x16x256x1xf32>
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
    %10 = stablehlo.reshape %arg0 : (tensor<40x4x64xf32>) -> tensor<40x4x64x1xf32>
    %11 = stablehlo.reshape %9 : (tensor<16x256x16x1xf32>) -> tensor<16x4x64x16x1xf32>
    %12 = stablehlo.dot_general %10, %11, contracting_dims = [1, 2, 3] x [1, 2, 4] {shardc.panel_columns = 16 : i64} : (tensor<40x4x64x1xf32>, tensor<16x4x64x16x1xf32>) -> tensor<40x16x16xf32>
    %13 = stablehlo.reshape %12 : (tensor<40x16x16xf32>) -> tensor<40x256xf32>
    return %13 : tensor<40x256xf32>
  }
}
