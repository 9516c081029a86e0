// RUN: --shardc-partition
// Each device has its part of the batch of a routine's call, as it is called.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg1: tensor<4x2xf32>) -> tensor<4x3x2xf32> {
  %0 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%arg0, %arg1) : (tensor<4x3x2xf32>, tensor<4x2xf32>) -> tensor<4x3x2xf32>
  return %0 : tensor<4x3x2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x3x2xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x3x2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<2x3x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<2x3x1xf32>
    %0 = stablehlo.iota dim = 1 : tensor<2x3x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<2x3x2xi32>
    %2 = stablehlo.iota dim = 2 : tensor<2x3x2xi32>
    %3 = stablehlo.compare EQ, %1, %2 : (tensor<2x3x2xi32>, tensor<2x3x2xi32>) -> tensor<2x3x2xi1>
    %4 = stablehlo.convert %3 : (tensor<2x3x2xi1>) -> tensor<2x3x2xf32>
    %5 = stablehlo.reshape %arg1 : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %6:2 = stablehlo.while(%iterArg = %c_1, %iterArg_4 = %4) : tensor<i32>, tensor<2x3x2xf32>
    cond {
      %7 = stablehlo.compare GT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7 = stablehlo.subtract %iterArg, %c_0 : tensor<i32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<2x3x1xi32>
      %9 = stablehlo.dynamic_slice %arg0, %c, %c, %7, sizes = [2, 3, 1] : (tensor<2x3x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x3x1xf32>
      %10 = stablehlo.compare GT, %0, %8 : (tensor<2x3x1xi32>, tensor<2x3x1xi32>) -> tensor<2x3x1xi1>
      %11 = stablehlo.compare EQ, %0, %8 : (tensor<2x3x1xi32>, tensor<2x3x1xi32>) -> tensor<2x3x1xi1>
      %12 = stablehlo.select %10, %9, %cst_3 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
      %13 = stablehlo.select %11, %cst_2, %12 : tensor<2x3x1xi1>, tensor<2x3x1xf32>
      %14 = stablehlo.dynamic_slice %5, %c, %7, %c, sizes = [2, 1, 1] : (tensor<2x2x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x1xf32>
      %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x2xf32>
      %16 = stablehlo.multiply %15, %iterArg_4 : tensor<2x3x2xf32>
      %17 = stablehlo.reduce(%16 init: %cst) applies stablehlo.add across dimensions = [1] {shardc.in_order} : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      %18 = stablehlo.reshape %17 : (tensor<2x2xf32>) -> tensor<2x1x2xf32>
      %19 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x1x1xf32>) -> tensor<2x1x2xf32>
      %20 = stablehlo.multiply %19, %18 : tensor<2x1x2xf32>
      %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<2x1x2xf32>) -> tensor<2x3x2xf32>
      %22 = stablehlo.multiply %15, %21 : tensor<2x3x2xf32>
      %23 = stablehlo.subtract %iterArg_4, %22 : tensor<2x3x2xf32>
      stablehlo.return %7, %23 : tensor<i32>, tensor<2x3x2xf32>
    }
    return %6#1 : tensor<2x3x2xf32>
  }
}
