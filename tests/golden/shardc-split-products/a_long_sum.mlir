// RUN: --shardc-split-products
// A product with few results and a long K is a sum of products of parts of K, in f32.
func.func @main(%arg0: tensor<64x65536xbf16>, %arg1: tensor<65536x8xbf16>) -> tensor<64x8xbf16> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<64x65536xbf16>, tensor<65536x8xbf16>) -> tensor<64x8xbf16>
  return %0 : tensor<64x8xbf16>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<64x65536xbf16>, %arg1: tensor<65536x8xbf16>) -> tensor<64x8xbf16> {
    %0 = stablehlo.reshape %arg0 : (tensor<64x65536xbf16>) -> tensor<64x32x2048xbf16>
    %1 = stablehlo.reshape %arg1 : (tensor<65536x8xbf16>) -> tensor<32x2048x8xbf16>
    %2 = stablehlo.dot_general %0, %1, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<64x32x2048xbf16>, tensor<32x2048x8xbf16>) -> tensor<32x64x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32x64x8xf32>, tensor<f32>) -> tensor<64x8xf32>
    %4 = stablehlo.convert %3 : (tensor<64x8xf32>) -> tensor<64x8xbf16>
    return %4 : tensor<64x8xbf16>
  }
}
