// RUN: --shardc-unroll-loops
// A loop of few elementwise ops is written out, with parts of a small table by the number of the step; so is the
// outer one, of which then all ops are such.
func.func @main(%arg0: tensor<8x64xui32>) -> tensor<8x64xui32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2 = stablehlo.constant dense<[13, 15]> : tensor<2xui32>
  %3:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<8x64xui32>
  cond {
    %4 = stablehlo.constant dense<2> : tensor<i32>
    %5 = stablehlo.compare LT, %iterArg, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %4:2 = stablehlo.while(%iterArg_1 = %0, %iterArg_2 = %iterArg_0) : tensor<i32>, tensor<8x64xui32>
    cond {
      %6 = stablehlo.constant dense<2> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg_1, %6 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %6 = stablehlo.dynamic_slice %2, %iterArg_1, sizes = [1] : (tensor<2xui32>, tensor<i32>) -> tensor<1xui32>
      %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<ui32>) -> tensor<8x64xui32>
      %9 = stablehlo.shift_left %iterArg_2, %8 : tensor<8x64xui32>
      %10 = stablehlo.add %iterArg_1, %1 : tensor<i32>
      stablehlo.return %10, %9 : tensor<i32>, tensor<8x64xui32>
    }
    %5 = stablehlo.add %iterArg, %1 : tensor<i32>
    stablehlo.return %5, %4#1 : tensor<i32>, tensor<8x64xui32>
  }
  return %3#1 : tensor<8x64xui32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x64xui32>) -> tensor<8x64xui32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<[13, 15]> : tensor<2xui32>
    %0 = stablehlo.dynamic_slice %c_1, %c, sizes = [1] : (tensor<2xui32>, tensor<i32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<8x64xui32>
    %3 = stablehlo.shift_left %arg0, %2 : tensor<8x64xui32>
    %4 = stablehlo.add %c, %c_0 : tensor<i32>
    %5 = stablehlo.dynamic_slice %c_1, %4, sizes = [1] : (tensor<2xui32>, tensor<i32>) -> tensor<1xui32>
    %6 = stablehlo.reshape %5 : (tensor<1xui32>) -> tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<8x64xui32>
    %8 = stablehlo.shift_left %3, %7 : tensor<8x64xui32>
    %9 = stablehlo.add %4, %c_0 : tensor<i32>
    %10 = stablehlo.add %c, %c_0 : tensor<i32>
    %11 = stablehlo.dynamic_slice %c_1, %c, sizes = [1] : (tensor<2xui32>, tensor<i32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<8x64xui32>
    %14 = stablehlo.shift_left %8, %13 : tensor<8x64xui32>
    %15 = stablehlo.add %c, %c_0 : tensor<i32>
    %16 = stablehlo.dynamic_slice %c_1, %15, sizes = [1] : (tensor<2xui32>, tensor<i32>) -> tensor<1xui32>
    %17 = stablehlo.reshape %16 : (tensor<1xui32>) -> tensor<ui32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<ui32>) -> tensor<8x64xui32>
    %19 = stablehlo.shift_left %14, %18 : tensor<8x64xui32>
    %20 = stablehlo.add %15, %c_0 : tensor<i32>
    %21 = stablehlo.add %10, %c_0 : tensor<i32>
    return %19 : tensor<8x64xui32>
  }
}
