// RUN: --shardc-order-products
// A transpose passes what is elementwise on its way to the product, whose own type stays; both operands of a product may be what transposes were made of.
func.func @main(%q: tensor<2x4x3x64x8xf32>, %k: tensor<2x32x4x8xf32>, %a: tensor<4x64x32xf32>, %b: tensor<32x64x4xf32>) -> (tensor<2x4x32x3x64xbf16>, tensor<f32>) {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x4x3x64x8xf32>, tensor<2x32x4x8xf32>) -> tensor<2x4x3x64x32xf32>
  %1 = stablehlo.tanh %0 : tensor<2x4x3x64x32xf32>
  %2 = stablehlo.convert %1 : (tensor<2x4x3x64x32xf32>) -> tensor<2x4x3x64x32xbf16>
  %3 = stablehlo.transpose %2, dims = [0, 1, 4, 2, 3] : (tensor<2x4x3x64x32xbf16>) -> tensor<2x4x32x3x64xbf16>
  %4 = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<4x64x32xf32>) -> tensor<64x4x32xf32>
  %5 = stablehlo.transpose %b, dims = [1, 2, 0] : (tensor<32x64x4xf32>) -> tensor<64x4x32xf32>
  %6 = stablehlo.dot_general %4, %5, contracting_dims = [0, 1, 2] x [0, 1, 2] : (tensor<64x4x32xf32>, tensor<64x4x32xf32>) -> tensor<f32>
  return %3, %6 : tensor<2x4x32x3x64xbf16>, tensor<f32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x4x3x64x8xf32>, %arg1: tensor<2x32x4x8xf32>, %arg2: tensor<4x64x32xf32>, %arg3: tensor<32x64x4xf32>) -> (tensor<2x4x32x3x64xbf16>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0, 2] x [0, 1], contracting_dims = [3] x [4] : (tensor<2x32x4x8xf32>, tensor<2x4x3x64x8xf32>) -> tensor<2x4x32x3x64xf32>
    %1 = stablehlo.tanh %0 : tensor<2x4x32x3x64xf32>
    %2 = stablehlo.convert %1 : (tensor<2x4x32x3x64xf32>) -> tensor<2x4x32x3x64xbf16>
    %3 = stablehlo.transpose %arg2, dims = [1, 0, 2] : (tensor<4x64x32xf32>) -> tensor<64x4x32xf32>
    %4 = stablehlo.transpose %arg3, dims = [1, 2, 0] : (tensor<32x64x4xf32>) -> tensor<64x4x32xf32>
    %5 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [2, 1, 0] x [0, 1, 2] : (tensor<4x64x32xf32>, tensor<32x64x4xf32>) -> tensor<f32>
    return %2, %5 : tensor<2x4x32x3x64xbf16>, tensor<f32>
  }
}
