// RUN: shardc --print-after=shardc-share-panels --constant-arguments=w
// A loop multiplies with layers of a constant stack, by rows and by columns: the panels of all layers are kept, and the loop takes its own.
func.func @main(%x: tensor<48x128xf32>, %w: tensor<128x3x64xf32>) -> tensor<48x128xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %a:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<48x128xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %w, %zero, %i, %zero, sizes = [128, 1, 64] : (tensor<128x3x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<128x1x64xf32>
    %l = stablehlo.reshape %s : (tensor<128x1x64xf32>) -> tensor<128x64xf32>
    %p = stablehlo.dot_general %y, %l, contracting_dims = [1] x [0] : (tensor<48x128xf32>, tensor<128x64xf32>) -> tensor<48x64xf32>
    %q = stablehlo.dot_general %p, %l, contracting_dims = [1] x [1] : (tensor<48x64xf32>, tensor<128x64xf32>) -> tensor<48x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %q : tensor<i32>, tensor<48x128xf32>
  }
  return %a#1 : tensor<48x128xf32>
}
// ---- expect
// after shardc-share-panels
module {
  func.func @main(%arg0: tensor<48x128xf32>, %arg1: tensor<128x3x64xf32>) -> tensor<48x128xf32> attributes {shardc.constant_arguments = array<i64: 1>, shardc.spread_results = array<i64: 1>} {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.transpose %arg1, dims = [1, 0, 2] : (tensor<128x3x64xf32>) -> tensor<3x128x64xf32>
    %1 = stablehlo.reshape %0 : (tensor<3x128x64xf32>) -> tensor<3x128x1x64xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x128x1x64xf32>) -> tensor<3x128x64xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<3x128x64xf32>) -> tensor<3x64x128xf32>
    %4 = stablehlo.reshape %3 : (tensor<3x64x128xf32>) -> tensor<3x4x16x128x1xf32>
    %5 = stablehlo.transpose %4, dims = [0, 1, 3, 2, 4] {shardc.kept, shardc.panel_columns = 16 : i64} : (tensor<3x4x16x128x1xf32>) -> tensor<3x4x128x16x1xf32>
    %6 = stablehlo.transpose %arg1, dims = [1, 0, 2] : (tensor<128x3x64xf32>) -> tensor<3x128x64xf32>
    %7 = stablehlo.reshape %6 : (tensor<3x128x64xf32>) -> tensor<3x128x1x64xf32>
    %8 = stablehlo.reshape %7 : (tensor<3x128x1x64xf32>) -> tensor<3x128x64xf32>
    %9 = stablehlo.reshape %8 : (tensor<3x128x64xf32>) -> tensor<3x8x16x64x1xf32>
    %10 = stablehlo.transpose %9, dims = [0, 1, 3, 2, 4] {shardc.kept, shardc.panel_columns = 16 : i64} : (tensor<3x8x16x64x1xf32>) -> tensor<3x8x64x16x1xf32>
    %11:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<48x128xf32>
    cond {
      %12 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12 = stablehlo.dynamic_slice %arg1, %c, %iterArg, %c, sizes = [128, 1, 64] : (tensor<128x3x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<128x1x64xf32>
      %13 = stablehlo.reshape %12 : (tensor<128x1x64xf32>) -> tensor<128x64xf32>
      %14 = stablehlo.reshape %iterArg_2 : (tensor<48x128xf32>) -> tensor<48x128x1xf32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.dynamic_slice %5, %iterArg, %c_3, %c_3, %c_3, %c_3, sizes = [1, 4, 128, 16, 1] : (tensor<3x4x128x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x128x16x1xf32>
      %16 = stablehlo.reshape %15 : (tensor<1x4x128x16x1xf32>) -> tensor<4x128x16x1xf32>
      %17 = stablehlo.dot_general %14, %16, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<48x128x1xf32>, tensor<4x128x16x1xf32>) -> tensor<48x4x16xf32>
      %18 = stablehlo.reshape %17 : (tensor<48x4x16xf32>) -> tensor<48x64xf32>
      %19 = stablehlo.reshape %18 : (tensor<48x64xf32>) -> tensor<48x64x1xf32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %20 = stablehlo.dynamic_slice %10, %iterArg, %c_4, %c_4, %c_4, %c_4, sizes = [1, 8, 64, 16, 1] : (tensor<3x8x64x16x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64x16x1xf32>
      %21 = stablehlo.reshape %20 : (tensor<1x8x64x16x1xf32>) -> tensor<8x64x16x1xf32>
      %22 = stablehlo.dot_general %19, %21, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<48x64x1xf32>, tensor<8x64x16x1xf32>) -> tensor<48x8x16xf32>
      %23 = stablehlo.reshape %22 : (tensor<48x8x16xf32>) -> tensor<48x128xf32>
      %24 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %24, %23 : tensor<i32>, tensor<48x128xf32>
    }
    return %11#1 : tensor<48x128xf32>
  }
}
