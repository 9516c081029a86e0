// RUN: shardc --print-after=shardc-join-gathers
// Places of two numbers, of which one says whose part it is: elements are read from all devices' parts. Images of a batch that each have their places, too.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %i: tensor<10x2xi32>, %m: tensor<2x64x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %j: tensor<2x5x2xi32>) -> (tensor<10xf32>, tensor<2x5x4xf32>) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<32x16xf32>, tensor<10x2xi32>) -> tensor<10xf32>
  %1 = "stablehlo.gather"(%m, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<2x64x8x4xf32>, tensor<2x5x2xi32>) -> tensor<2x5x4xf32>
  return %0, %1 : tensor<10xf32>, tensor<2x5x4xf32>
}
// ---- expect
// after shardc-join-gathers
module {
  func.func @main(%arg0: tensor<32x8xf32>, %arg1: tensor<10x2xi32>, %arg2: tensor<2x32x8x4xf32>, %arg3: tensor<2x5x2xi32>) -> (tensor<10xf32>, tensor<2x5x4xf32>) attributes {shardc.argument_replicas = dense<[[0, 1], [0, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>, shardc.spread_results = array<i64: 2, 2>, shardc.whole_arrays} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi64>
    %2 = stablehlo.dynamic_slice %c_0, %1, %c, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1x1xi64>) -> tensor<1xi64>
    %4 = stablehlo.convert %3 : (tensor<1xi64>) -> tensor<1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<10x2xi32>
    %c_2 = stablehlo.constant dense<[31, 15]> : tensor<2xi64>
    %c_3 = stablehlo.constant dense<[31, 15]> : tensor<2xi32>
    %6 = stablehlo.broadcast_in_dim %c_3, dims = [1] : (tensor<2xi32>) -> tensor<10x2xi32>
    %7 = stablehlo.clamp %c_1, %arg1, %6 : tensor<10x2xi32>
    %c_4 = stablehlo.constant dense<8> : tensor<i32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %c_5 = stablehlo.constant dense<0> : tensor<ui32>
    %c_6 = stablehlo.constant dense<[[0], [8]]> : tensor<2x1xi64>
    %9 = stablehlo.dynamic_slice %c_6, %8, %c_5, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %10 = stablehlo.reshape %9 : (tensor<1x1xi64>) -> tensor<1xi64>
    %11 = stablehlo.convert %10 : (tensor<1xi64>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_7 = stablehlo.constant dense<7> : tensor<i32>
    %13 = stablehlo.partition_id : tensor<ui32>
    %c_8 = stablehlo.constant dense<0> : tensor<ui32>
    %c_9 = stablehlo.constant dense<[[7], [15]]> : tensor<2x1xi64>
    %14 = stablehlo.dynamic_slice %c_9, %13, %c_8, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %15 = stablehlo.reshape %14 : (tensor<1x1xi64>) -> tensor<1xi64>
    %16 = stablehlo.convert %15 : (tensor<1xi64>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<1xi32>
    %18 = stablehlo.reshape %12 : (tensor<i32>) -> tensor<1xi32>
    %19 = stablehlo.concatenate %c_10, %18, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<2xi32>) -> tensor<10x2xi32>
    %c_11 = stablehlo.constant dense<31> : tensor<1xi32>
    %21 = stablehlo.reshape %17 : (tensor<i32>) -> tensor<1xi32>
    %22 = stablehlo.concatenate %c_11, %21, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [1] : (tensor<2xi32>) -> tensor<10x2xi32>
    %24 = stablehlo.subtract %7, %20 : tensor<10x2xi32>
    %25 = stablehlo.compare GE, %7, %20, SIGNED : (tensor<10x2xi32>, tensor<10x2xi32>) -> tensor<10x2xi1>
    %26 = stablehlo.compare LE, %7, %23, SIGNED : (tensor<10x2xi32>, tensor<10x2xi32>) -> tensor<10x2xi1>
    %27 = stablehlo.and %25, %26 : tensor<10x2xi1>
    %28 = "stablehlo.gather"(%arg0, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<32x8xf32>, tensor<10x2xi32>) -> tensor<10xf32>
    %c_12 = stablehlo.constant dense<true> : tensor<i1>
    %29 = stablehlo.reduce(%27 init: %c_12) applies stablehlo.and across dimensions = [1] : (tensor<10x2xi1>, tensor<i1>) -> tensor<10xi1>
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<10xf32>
    %30 = stablehlo.select %29, %28, %cst : tensor<10xi1>, tensor<10xf32>
    %c_13 = stablehlo.constant dense<0> : tensor<2x5x2xi32>
    %c_14 = stablehlo.constant dense<[63, 7]> : tensor<2xi64>
    %c_15 = stablehlo.constant dense<[63, 7]> : tensor<2xi32>
    %31 = stablehlo.broadcast_in_dim %c_15, dims = [2] : (tensor<2xi32>) -> tensor<2x5x2xi32>
    %32 = stablehlo.clamp %c_13, %arg3, %31 : tensor<2x5x2xi32>
    %c_16 = stablehlo.constant dense<32> : tensor<i32>
    %33 = stablehlo.partition_id : tensor<ui32>
    %c_17 = stablehlo.constant dense<0> : tensor<ui32>
    %c_18 = stablehlo.constant dense<[[0], [32]]> : tensor<2x1xi64>
    %34 = stablehlo.dynamic_slice %c_18, %33, %c_17, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %35 = stablehlo.reshape %34 : (tensor<1x1xi64>) -> tensor<1xi64>
    %36 = stablehlo.convert %35 : (tensor<1xi64>) -> tensor<1xi32>
    %37 = stablehlo.reshape %36 : (tensor<1xi32>) -> tensor<i32>
    %c_19 = stablehlo.constant dense<31> : tensor<i32>
    %38 = stablehlo.partition_id : tensor<ui32>
    %c_20 = stablehlo.constant dense<0> : tensor<ui32>
    %c_21 = stablehlo.constant dense<[[31], [63]]> : tensor<2x1xi64>
    %39 = stablehlo.dynamic_slice %c_21, %38, %c_20, sizes = [1, 1] : (tensor<2x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %40 = stablehlo.reshape %39 : (tensor<1x1xi64>) -> tensor<1xi64>
    %41 = stablehlo.convert %40 : (tensor<1xi64>) -> tensor<1xi32>
    %42 = stablehlo.reshape %41 : (tensor<1xi32>) -> tensor<i32>
    %43 = stablehlo.reshape %37 : (tensor<i32>) -> tensor<1xi32>
    %44 = stablehlo.concatenate %43, %c_10, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [2] : (tensor<2xi32>) -> tensor<2x5x2xi32>
    %46 = stablehlo.reshape %42 : (tensor<i32>) -> tensor<1xi32>
    %c_22 = stablehlo.constant dense<7> : tensor<1xi32>
    %47 = stablehlo.concatenate %46, %c_22, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [2] : (tensor<2xi32>) -> tensor<2x5x2xi32>
    %49 = stablehlo.subtract %32, %45 : tensor<2x5x2xi32>
    %50 = stablehlo.compare GE, %32, %45, SIGNED : (tensor<2x5x2xi32>, tensor<2x5x2xi32>) -> tensor<2x5x2xi1>
    %51 = stablehlo.compare LE, %32, %48, SIGNED : (tensor<2x5x2xi32>, tensor<2x5x2xi32>) -> tensor<2x5x2xi1>
    %52 = stablehlo.and %50, %51 : tensor<2x5x2xi1>
    %53 = "stablehlo.gather"(%arg2, %49) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 4>}> : (tensor<2x32x8x4xf32>, tensor<2x5x2xi32>) -> tensor<2x5x4xf32>
    %54 = stablehlo.reduce(%52 init: %c_12) applies stablehlo.and across dimensions = [2] : (tensor<2x5x2xi1>, tensor<i1>) -> tensor<2x5xi1>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<2x5xi1>) -> tensor<2x5x4xi1>
    %cst_23 = stablehlo.constant dense<-0.000000e+00> : tensor<2x5x4xf32>
    %56 = stablehlo.select %55, %53, %cst_23 : tensor<2x5x4xi1>, tensor<2x5x4xf32>
    %57 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<32x8xf32>) -> tensor<32x16xf32>
    %58 = "stablehlo.gather"(%57, %7) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> {shardc.spread_over = 1 : i64} : (tensor<32x16xf32>, tensor<10x2xi32>) -> tensor<10xf32>
    %59 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> {shardc.uncounted} : (tensor<2x32x8x4xf32>) -> tensor<2x64x8x4xf32>
    %60 = "stablehlo.gather"(%59, %32) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 4>}> {shardc.spread_over = 1 : i64} : (tensor<2x64x8x4xf32>, tensor<2x5x2xi32>) -> tensor<2x5x4xf32>
    return %58, %60 : tensor<10xf32>, tensor<2x5x4xf32>
  }
}
