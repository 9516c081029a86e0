// RUN: --sdy-convert-global-to-local
// Of the result, device 0 and 1 have an element, devices 2 and 3 have padding only: nothing is sent to these.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %arg0 [1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<16xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[2, -1, -4, -7]> : tensor<4xi64>
    %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<3> : tensor<i64>
    %4 = stablehlo.minimum %3, %c_0 : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.maximum %4, %c_1 : tensor<i64>
    %6 = stablehlo.dynamic_slice %arg0, %5, sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %7 = "stablehlo.collective_permute"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xf32>) -> tensor<1xf32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<[5, 2, -1, -4]> : tensor<4xi64>
    %10 = stablehlo.dynamic_slice %c_2, %9, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %11 = stablehlo.reshape %10 : (tensor<1xi64>) -> tensor<i64>
    %c_3 = stablehlo.constant dense<3> : tensor<i64>
    %12 = stablehlo.minimum %11, %c_3 : tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %13 = stablehlo.maximum %12, %c_4 : tensor<i64>
    %14 = stablehlo.partition_id : tensor<ui32>
    %15 = stablehlo.convert %14 : (tensor<ui32>) -> tensor<i64>
    %c_5 = stablehlo.constant dense<[-5, -2, 1, 4]> : tensor<4xi64>
    %16 = stablehlo.dynamic_slice %c_5, %15, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %17 = stablehlo.reshape %16 : (tensor<1xi64>) -> tensor<i64>
    %18 = stablehlo.add %13, %17 : tensor<i64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.pad %7, %cst, low = [1], high = [1], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<3xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i64>
    %20 = stablehlo.subtract %c_6, %18 : tensor<i64>
    %21 = stablehlo.dynamic_slice %19, %20, sizes = [1] : (tensor<3xf32>, tensor<i64>) -> tensor<1xf32>
    %22 = stablehlo.partition_id : tensor<ui32>
    %23 = stablehlo.convert %22 : (tensor<ui32>) -> tensor<i64>
    %c_7 = stablehlo.constant dense<[1, -2, -5, -8]> : tensor<4xi64>
    %24 = stablehlo.dynamic_slice %c_7, %23, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %25 = stablehlo.reshape %24 : (tensor<1xi64>) -> tensor<i64>
    %c_8 = stablehlo.constant dense<3> : tensor<i64>
    %26 = stablehlo.minimum %25, %c_8 : tensor<i64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %27 = stablehlo.maximum %26, %c_9 : tensor<i64>
    %28 = stablehlo.dynamic_slice %arg0, %27, sizes = [1] : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %29 = stablehlo.partition_id : tensor<ui32>
    %30 = stablehlo.convert %29 : (tensor<ui32>) -> tensor<i64>
    %c_10 = stablehlo.constant dense<[1, -2, -5, -8]> : tensor<4xi64>
    %31 = stablehlo.dynamic_slice %c_10, %30, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %32 = stablehlo.reshape %31 : (tensor<1xi64>) -> tensor<i64>
    %c_11 = stablehlo.constant dense<3> : tensor<i64>
    %33 = stablehlo.minimum %32, %c_11 : tensor<i64>
    %c_12 = stablehlo.constant dense<0> : tensor<i64>
    %34 = stablehlo.maximum %33, %c_12 : tensor<i64>
    %35 = stablehlo.partition_id : tensor<ui32>
    %36 = stablehlo.convert %35 : (tensor<ui32>) -> tensor<i64>
    %c_13 = stablehlo.constant dense<[-1, 2, 5, 8]> : tensor<4xi64>
    %37 = stablehlo.dynamic_slice %c_13, %36, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %38 = stablehlo.reshape %37 : (tensor<1xi64>) -> tensor<i64>
    %39 = stablehlo.add %34, %38 : tensor<i64>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.pad %28, %cst_14, low = [1], high = [1], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<3xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i64>
    %41 = stablehlo.subtract %c_15, %39 : tensor<i64>
    %42 = stablehlo.dynamic_slice %40, %41, sizes = [1] : (tensor<3xf32>, tensor<i64>) -> tensor<1xf32>
    %43 = stablehlo.negate %39 : tensor<i64>
    %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %45 = stablehlo.iota dim = 0 : tensor<1xi64>
    %46 = stablehlo.add %45, %44 : tensor<1xi64>
    %c_16 = stablehlo.constant dense<0> : tensor<i64>
    %47 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %48 = stablehlo.compare GE, %46, %47, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %c_17 = stablehlo.constant dense<1> : tensor<i64>
    %49 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %50 = stablehlo.compare LT, %46, %49, SIGNED : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %51 = stablehlo.and %48, %50 : tensor<1xi1>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0] : (tensor<1xi1>) -> tensor<1xi1>
    %53 = stablehlo.select %52, %42, %21 : tensor<1xi1>, tensor<1xf32>
    %54 = stablehlo.slice %53 [0:1] : (tensor<1xf32>) -> tensor<1xf32>
    return %54 : tensor<1xf32>
  }
}
