// RUN: shardc --print-after=shardc-multiply-together
// Few rows of each device with weights that all hold alike are one product of the rows of four devices, as each row is on two. Few rows that all hold alike with a part of the
// weights' columns are one product of all columns; not where a device's columns lie in long pieces, or one after the other. Many rows stay on their devices.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%few: tensor<32x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %many: tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<256x256xf32>, %one: tensor<2x256xf32>, %v: tensor<256x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %long: tensor<256x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %t: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<32x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<2x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<2x8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<2x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %few, %w, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x256xf32>) -> tensor<32x256xf32>
    %1 = stablehlo.dot_general %many, %w, contracting_dims = [1] x [0] : (tensor<512x256xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
    %2 = stablehlo.dot_general %one, %v, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x1024xf32>) -> tensor<2x1024xf32>
    %3 = stablehlo.dot_general %one, %long, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x8192xf32>) -> tensor<2x8192xf32>
    %4 = stablehlo.dot_general %one, %t, contracting_dims = [1] x [1] : (tensor<2x256xf32>, tensor<1024x256xf32>) -> tensor<2x1024xf32>
    return %0, %1, %2, %3, %4 : tensor<32x256xf32>, tensor<512x256xf32>, tensor<2x1024xf32>, tensor<2x8192xf32>, tensor<2x1024xf32>
  }
}
// ---- expect
// after shardc-multiply-together
module {
  func.func @main(%arg0: tensor<8x256xf32>, %arg1: tensor<128x256xf32>, %arg2: tensor<256x256xf32>, %arg3: tensor<2x256xf32>, %arg4: tensor<256x256xf32>, %arg5: tensor<256x2048xf32>, %arg6: tensor<256x256xf32>) -> (tensor<8x256xf32>, tensor<128x256xf32>, tensor<2x256xf32>, tensor<2x2048xf32>, tensor<2x256xf32>) attributes {shardc.argument_replicas = dense<[[0, 0, 2, 2, 4, 4, 6, 6], [0, 0, 2, 2, 4, 4, 6, 6], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 2, 2, 4, 4, 6, 6], [0, 0, 2, 2, 4, 4, 6, 6], [0, 0, 2, 2, 4, 4, 6, 6]]> : tensor<7x8xi64>, shardc.spread_results = array<i64: 8, 8, 8, 8, 8>, shardc.whole_arrays} {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<8x256xf32>) -> tensor<32x256xf32>
    %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<32x256xf32>, tensor<256x256xf32>) -> tensor<32x256xf32>
    %2 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [0], [8], [8], [16], [16], [24], [24]]> : tensor<8x1xi64>
    %3 = stablehlo.dynamic_slice %c_0, %2, %c, sizes = [1, 1] : (tensor<8x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1x1xi64>) -> tensor<1xi64>
    %5 = stablehlo.convert %4 : tensor<1xi64>
    %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.dynamic_slice %1, %6, %c_1, sizes = [8, 256] : (tensor<32x256xf32>, tensor<i64>, tensor<i64>) -> tensor<8x256xf32>
    %8 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
    %9 = "stablehlo.all_gather"(%arg4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<256x256xf32>) -> tensor<256x1024xf32>
    %10 = stablehlo.dot_general %arg3, %9, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x1024xf32>) -> tensor<2x1024xf32>
    %11 = stablehlo.partition_id : tensor<ui32>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %c_3 = stablehlo.constant dense<[[0], [0], [256], [256], [512], [512], [768], [768]]> : tensor<8x1xi64>
    %12 = stablehlo.dynamic_slice %c_3, %11, %c_2, sizes = [1, 1] : (tensor<8x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %13 = stablehlo.reshape %12 : (tensor<1x1xi64>) -> tensor<1xi64>
    %14 = stablehlo.convert %13 : tensor<1xi64>
    %15 = stablehlo.reshape %14 : (tensor<1xi64>) -> tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %16 = stablehlo.dynamic_slice %10, %c_4, %15, sizes = [2, 256] : (tensor<2x1024xf32>, tensor<i64>, tensor<i64>) -> tensor<2x256xf32>
    %17 = stablehlo.dot_general %arg3, %arg5, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x2048xf32>) -> tensor<2x2048xf32>
    %18 = stablehlo.dot_general %arg3, %arg6, contracting_dims = [1] x [1] : (tensor<2x256xf32>, tensor<256x256xf32>) -> tensor<2x256xf32>
    return %7, %8, %16, %17, %18 : tensor<8x256xf32>, tensor<128x256xf32>, tensor<2x256xf32>, tensor<2x2048xf32>, tensor<2x256xf32>
  }
}
