// RUN: shardc --print-after=shardc-join-gathers
// A table that is sharded by its rows is read as a whole; of rows that devices divide each takes its part. Where the devices look up different places, each sums what it looked up itself.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<16x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<64x8xf32>, tensor<16x1xi32>) -> tensor<16x8xf32>
  %1 = sdy.manual_computation(%t, %i) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%a: tensor<32x8xf32>, %b: tensor<8x1xi32>) {
    %p = stablehlo.partition_id : tensor<ui32>
    %q = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>
    %n = stablehlo.constant dense<32> : tensor<i32>
    %f = stablehlo.multiply %q, %n : tensor<i32>
    %l31 = stablehlo.constant dense<31> : tensor<i32>
    %l = stablehlo.add %f, %l31 : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<8x1xi32>
    %h = stablehlo.constant dense<63> : tensor<8x1xi32>
    %c = stablehlo.clamp %z, %b, %h : tensor<8x1xi32>
    %bf = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %bl = stablehlo.broadcast_in_dim %l, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %s = stablehlo.subtract %c, %bf : tensor<8x1xi32>
    %ge = stablehlo.compare GE, %c, %bf, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %le = stablehlo.compare LE, %c, %bl, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %in = stablehlo.and %ge, %le : tensor<8x1xi1>
    %r = stablehlo.reshape %in : (tensor<8x1xi1>) -> tensor<8xi1>
    %m = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<8xi1>) -> tensor<8x8xi1>
    %g = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<8x1xi32>) -> tensor<8x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<8x8xf32>
    %w = stablehlo.select %m, %g, %zero : tensor<8x8xi1>, tensor<8x8xf32>
    %sum = "stablehlo.all_reduce"(%w) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %d = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %d : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %two = stablehlo.concatenate %sum, %sum, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    sdy.return %two : tensor<16x8xf32>
  } : (tensor<64x8xf32>, tensor<16x1xi32>) -> tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
// ---- expect
// after shardc-join-gathers
module {
  func.func @main(%arg0: tensor<32x8xf32>, %arg1: tensor<16x1xi32>) -> (tensor<8x8xf32>, tensor<16x8xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, shardc.spread_results = array<i64: 2, 2>, shardc.whole_arrays} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
    %2 = stablehlo.dynamic_slice %c_0, %1, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1x1xi64>) -> tensor<1xi64>
    %4 = stablehlo.convert %3 : (tensor<1xi64>) -> tensor<1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<8> : tensor<i32>
    %6 = stablehlo.partition_id : tensor<ui32>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %c_3 = stablehlo.constant dense<[[0], [8]]> : tensor<2x1xi64>
    %7 = stablehlo.dynamic_slice %c_3, %6, %c_2, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %8 = stablehlo.reshape %7 : (tensor<1x1xi64>) -> tensor<1xi64>
    %9 = stablehlo.convert %8 : (tensor<1xi64>) -> tensor<1xi32>
    %10 = stablehlo.reshape %9 : (tensor<1xi32>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.dynamic_slice %arg1, %10, %c_4, sizes = [8, 1] : (tensor<16x1xi32>, tensor<i32>, tensor<i32>) -> tensor<8x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<16x1xi32>
    %c_6 = stablehlo.constant dense<63> : tensor<16x1xi32>
    %12 = stablehlo.clamp %c_5, %arg1, %c_6 : tensor<16x1xi32>
    %c_7 = stablehlo.constant dense<32> : tensor<i32>
    %13 = stablehlo.partition_id : tensor<ui32>
    %c_8 = stablehlo.constant dense<0> : tensor<ui32>
    %c_9 = stablehlo.constant dense<[[0], [32]]> : tensor<2x1xi64>
    %14 = stablehlo.dynamic_slice %c_9, %13, %c_8, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %15 = stablehlo.reshape %14 : (tensor<1x1xi64>) -> tensor<1xi64>
    %16 = stablehlo.convert %15 : (tensor<1xi64>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_10 = stablehlo.constant dense<31> : tensor<i32>
    %18 = stablehlo.partition_id : tensor<ui32>
    %c_11 = stablehlo.constant dense<0> : tensor<ui32>
    %c_12 = stablehlo.constant dense<[[31], [63]]> : tensor<2x1xi64>
    %19 = stablehlo.dynamic_slice %c_12, %18, %c_11, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %20 = stablehlo.reshape %19 : (tensor<1x1xi64>) -> tensor<1xi64>
    %21 = stablehlo.convert %20 : (tensor<1xi64>) -> tensor<1xi32>
    %22 = stablehlo.reshape %21 : (tensor<1xi32>) -> tensor<i32>
    %23 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %25 = stablehlo.subtract %12, %23 : tensor<16x1xi32>
    %26 = stablehlo.compare GE, %12, %23, SIGNED : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi1>
    %27 = stablehlo.compare LE, %12, %24, SIGNED : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi1>
    %28 = stablehlo.and %26, %27 : tensor<16x1xi1>
    %29 = "stablehlo.gather"(%arg0, %25) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<16x1xi32>) -> tensor<16x8xf32>
    %c_13 = stablehlo.constant dense<true> : tensor<i1>
    %30 = stablehlo.reduce(%28 init: %c_13) applies stablehlo.and across dimensions = [1] : (tensor<16x1xi1>, tensor<i1>) -> tensor<16xi1>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<16xi1>) -> tensor<16x8xi1>
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<16x8xf32>
    %32 = stablehlo.select %31, %29, %cst : tensor<16x8xi1>, tensor<16x8xf32>
    %33 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<32x8xf32>) -> tensor<64x8xf32>
    %34 = "stablehlo.gather"(%33, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<64x8xf32>, tensor<16x1xi32>) -> tensor<16x8xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i64>
    %35 = stablehlo.partition_id : tensor<ui32>
    %c_15 = stablehlo.constant dense<0> : tensor<ui32>
    %c_16 = stablehlo.constant dense<[[0], [8]]> : tensor<2x1xi64>
    %36 = stablehlo.dynamic_slice %c_16, %35, %c_15, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %37 = stablehlo.reshape %36 : (tensor<1x1xi64>) -> tensor<1xi64>
    %38 = stablehlo.convert %37 : tensor<1xi64>
    %39 = stablehlo.reshape %38 : (tensor<1xi64>) -> tensor<i64>
    %40 = stablehlo.dynamic_slice %34, %39, %c_14, sizes = [8, 8] {shardc.spread_over = 1 : i64} : (tensor<16x8xf32>, tensor<i64>, tensor<i64>) -> tensor<8x8xf32>
    %c_17 = stablehlo.constant dense<0> : tensor<8x1xi32>
    %c_18 = stablehlo.constant dense<63> : tensor<8x1xi32>
    %41 = stablehlo.clamp %c_17, %11, %c_18 : tensor<8x1xi32>
    %42 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %43 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %44 = stablehlo.subtract %41, %42 : tensor<8x1xi32>
    %45 = stablehlo.compare GE, %41, %42, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %46 = stablehlo.compare LE, %41, %43, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %47 = stablehlo.and %45, %46 : tensor<8x1xi1>
    %48 = stablehlo.reshape %47 : (tensor<8x1xi1>) -> tensor<8xi1>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<8xi1>) -> tensor<8x8xi1>
    %50 = "stablehlo.gather"(%arg0, %44) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<8x1xi32>) -> tensor<8x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<8x8xf32>
    %51 = stablehlo.select %49, %50, %cst_19 : tensor<8x8xi1>, tensor<8x8xf32>
    %52 = "stablehlo.all_reduce"(%51) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %54 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %54 : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %53 = stablehlo.concatenate %52, %52, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    return %40, %53 : tensor<8x8xf32>, tensor<16x8xf32>
  }
}
