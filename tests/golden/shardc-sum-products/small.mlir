// RUN: --shardc-sum-products
// At most 8 products with at most 8 rows or columns. Batch dimensions may stand anywhere; more of both is a product of matrices.
func.func @main(%a: tensor<900x3xf32>, %b: tensor<3x40xf32>, %c: tensor<3x4xbf16>, %d: tensor<2x5x70x2xf32>, %e: tensor<6x2x70x2xf32>, %f: tensor<900x9xf32>, %g: tensor<9x4xf32>) -> (tensor<900x40xf32>, tensor<900x4xbf16>, tensor<70x5x6xf32>, tensor<900x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<900x3xf32>, tensor<3x40xf32>) -> tensor<900x40xf32>
  %n = stablehlo.convert %a : (tensor<900x3xf32>) -> tensor<900x3xbf16>
  %1 = stablehlo.dot_general %n, %c, contracting_dims = [1] x [0] : (tensor<900x3xbf16>, tensor<3x4xbf16>) -> tensor<900x4xbf16>
  %2 = stablehlo.dot_general %d, %e, batching_dims = [2] x [2], contracting_dims = [0, 3] x [3, 1] : (tensor<2x5x70x2xf32>, tensor<6x2x70x2xf32>) -> tensor<70x5x6xf32>
  %3 = stablehlo.dot_general %f, %g, contracting_dims = [1] x [0] : (tensor<900x9xf32>, tensor<9x4xf32>) -> tensor<900x4xf32>
  return %0, %1, %2, %3 : tensor<900x40xf32>, tensor<900x4xbf16>, tensor<70x5x6xf32>, tensor<900x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<900x3xf32>, %arg1: tensor<3x40xf32>, %arg2: tensor<3x4xbf16>, %arg3: tensor<2x5x70x2xf32>, %arg4: tensor<6x2x70x2xf32>, %arg5: tensor<900x9xf32>, %arg6: tensor<9x4xf32>) -> (tensor<900x40xf32>, tensor<900x4xbf16>, tensor<70x5x6xf32>, tensor<900x4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<900x3xf32>, tensor<3x40xf32>) -> tensor<900x40xf32>
    %1 = stablehlo.convert %arg0 : (tensor<900x3xf32>) -> tensor<900x3xbf16>
    %2 = stablehlo.convert %1 : (tensor<900x3xbf16>) -> tensor<900x3xf32>
    %3 = stablehlo.convert %arg2 : (tensor<3x4xbf16>) -> tensor<3x4xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<900x3xf32>) -> tensor<900x4x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [2, 1] : (tensor<3x4xf32>) -> tensor<900x4x3xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<900x4x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<900x4x3xf32>, tensor<f32>) -> tensor<900x4xf32>
    %8 = stablehlo.convert %7 : (tensor<900x4xf32>) -> tensor<900x4xbf16>
    %9 = stablehlo.broadcast_in_dim %arg3, dims = [3, 1, 0, 4] : (tensor<2x5x70x2xf32>) -> tensor<70x5x6x2x2xf32>
    %10 = stablehlo.broadcast_in_dim %arg4, dims = [2, 4, 0, 3] : (tensor<6x2x70x2xf32>) -> tensor<70x5x6x2x2xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<70x5x6x2x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_0) applies stablehlo.add across dimensions = [3, 4] : (tensor<70x5x6x2x2xf32>, tensor<f32>) -> tensor<70x5x6xf32>
    %13 = stablehlo.dot_general %arg5, %arg6, contracting_dims = [1] x [0] : (tensor<900x9xf32>, tensor<9x4xf32>) -> tensor<900x4xf32>
    return %0, %8, %12, %13 : tensor<900x40xf32>, tensor<900x4xbf16>, tensor<70x5x6xf32>, tensor<900x4xf32>
  }
}
