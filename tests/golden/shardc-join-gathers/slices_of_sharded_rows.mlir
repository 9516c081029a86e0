// RUN: shardc --print-after=shardc-join-gathers
// A slice that begins at a computed place of a sharded dimension is read from all devices' parts. Where devices sum slices of which they do not know that they begin at the same place, the sum stays.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}, %j: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %t, %i, %zero, sizes = [16, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %1 = sdy.manual_computation(%t, %j) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%a: tensor<32x8xf32>, %b: tensor<1xi32>) {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %k = stablehlo.reshape %b : (tensor<1xi32>) -> tensor<i32>
    %p = stablehlo.pad %a, %f, low = [16, 0], high = [16, 0], interior = [0, 0] : (tensor<32x8xf32>, tensor<f32>) -> tensor<64x8xf32>
    %s = stablehlo.dynamic_slice %p, %k, %z, sizes = [16, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %r = "stablehlo.all_reduce"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %sum = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    sdy.return %r : tensor<16x8xf32>
  } : (tensor<64x8xf32>, tensor<2xi32>) -> tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
// ---- expect
// after shardc-join-gathers
module {
  func.func @main(%arg0: tensor<32x8xf32>, %arg1: tensor<i32>, %arg2: tensor<1xi32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1]]> : tensor<3x2xi64>, shardc.spread_results = array<i64: 2, 2>, shardc.whole_arrays} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
    %2 = stablehlo.dynamic_slice %c_0, %1, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1x1xi64>) -> tensor<1xi64>
    %4 = stablehlo.convert %3 : (tensor<1xi64>) -> tensor<1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
    %6 = stablehlo.pad %arg0, %cst, low = [16, 0], high = [16, 0], interior = [0, 0] : (tensor<32x8xf32>, tensor<f32>) -> tensor<64x8xf32>
    %c_2 = stablehlo.constant dense<48> : tensor<i32>
    %7 = stablehlo.minimum %arg1, %c_2 : tensor<i32>
    %8 = stablehlo.maximum %7, %c_1 : tensor<i32>
    %c_3 = stablehlo.constant dense<32> : tensor<i32>
    %9 = stablehlo.partition_id : tensor<ui32>
    %c_4 = stablehlo.constant dense<0> : tensor<ui32>
    %c_5 = stablehlo.constant dense<[[0], [32]]> : tensor<2x1xi64>
    %10 = stablehlo.dynamic_slice %c_5, %9, %c_4, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %11 = stablehlo.reshape %10 : (tensor<1x1xi64>) -> tensor<1xi64>
    %12 = stablehlo.convert %11 : (tensor<1xi64>) -> tensor<1xi32>
    %13 = stablehlo.reshape %12 : (tensor<1xi32>) -> tensor<i32>
    %14 = stablehlo.subtract %8, %13 : tensor<i32>
    %c_6 = stablehlo.constant dense<16> : tensor<i32>
    %15 = stablehlo.add %14, %c_6 : tensor<i32>
    %16 = stablehlo.convert %15 : (tensor<i32>) -> tensor<i64>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %17 = stablehlo.dynamic_slice %6, %16, %c_7, sizes = [16, 8] : (tensor<64x8xf32>, tensor<i64>, tensor<i64>) -> tensor<16x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reshape %arg2 : (tensor<1xi32>) -> tensor<i32>
    %19 = stablehlo.pad %arg0, %cst_8, low = [16, 0], high = [16, 0], interior = [0, 0] : (tensor<32x8xf32>, tensor<f32>) -> tensor<64x8xf32>
    %20 = stablehlo.dynamic_slice %19, %18, %c_1, sizes = [16, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %21 = stablehlo.convert %8 : (tensor<i32>) -> tensor<i64>
    %22 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<32x8xf32>) -> tensor<64x8xf32>
    %23 = stablehlo.dynamic_slice %22, %21, %c_7, sizes = [16, 8] {shardc.spread_over = 1 : i64} : (tensor<64x8xf32>, tensor<i64>, tensor<i64>) -> tensor<16x8xf32>
    %24 = "stablehlo.all_reduce"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %25 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    return %23, %24 : tensor<16x8xf32>, tensor<16x8xf32>
  }
}
