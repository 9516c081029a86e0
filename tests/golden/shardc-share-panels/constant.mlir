// RUN: shardc --print-after=shardc-share-panels --constant-arguments=w,v
// Panels of what constant arguments alone decide are kept, once for all products with them; columns that anything else decides are not, nor are those of few rows.
func.func @main(%x: tensor<64x128xf32>, %w: tensor<64x128xf32>, %v: tensor<64x128xf32>, %u: tensor<128x64xf32>, %z: tensor<8x128xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>) {
  %s = stablehlo.add %w, %v : tensor<64x128xf32>
  %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %p = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %n = stablehlo.negate %x : tensor<64x128xf32>
  %q = stablehlo.dot_general %n, %t, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %o = stablehlo.add %t, %u : tensor<128x64xf32>
  %r = stablehlo.dot_general %x, %o, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %f = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x64xf32>) -> tensor<8x64xf32>
  return %p, %q, %r, %f : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>
}
// ---- expect
// after shardc-share-panels
module {
  func.func @main(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>, %arg3: tensor<128x64xf32>, %arg4: tensor<8x128xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>) attributes {shardc.constant_arguments = array<i64: 1, 2>, shardc.spread_results = array<i64: 1, 1, 1, 1>} {
    %0 = stablehlo.add %arg1, %arg2 : tensor<64x128xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %3 = stablehlo.reshape %2 : (tensor<64x128xf32>) -> tensor<4x16x128x1xf32>
    %4 = stablehlo.transpose %3, dims = [0, 2, 1, 3] {shardc.kept, shardc.panel_columns = 16 : i64} : (tensor<4x16x128x1xf32>) -> tensor<4x128x16x1xf32>
    %5 = stablehlo.reshape %arg0 : (tensor<64x128xf32>) -> tensor<64x128x1xf32>
    %6 = stablehlo.dot_general %5, %4, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<64x128x1xf32>, tensor<4x128x16x1xf32>) -> tensor<64x4x16xf32>
    %7 = stablehlo.reshape %6 : (tensor<64x4x16xf32>) -> tensor<64x64xf32>
    %8 = stablehlo.negate %arg0 : tensor<64x128xf32>
    %9 = stablehlo.reshape %8 : (tensor<64x128xf32>) -> tensor<64x128x1xf32>
    %10 = stablehlo.dot_general %9, %4, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<64x128x1xf32>, tensor<4x128x16x1xf32>) -> tensor<64x4x16xf32>
    %11 = stablehlo.reshape %10 : (tensor<64x4x16xf32>) -> tensor<64x64xf32>
    %12 = stablehlo.add %1, %arg3 : tensor<128x64xf32>
    %13 = stablehlo.dot_general %arg0, %12, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
    %14 = stablehlo.dot_general %arg4, %1, contracting_dims = [1] x [0] : (tensor<8x128xf32>, tensor<128x64xf32>) -> tensor<8x64xf32>
    return %7, %11, %13, %14 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x64xf32>
  }
}
