// RUN: --shardc-order-products
// What stays: a result whose transpose mixes the operands' dimensions, one that others read, and operands that are no smaller than the result.
func.func @main(%a: tensor<8x3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<64x2x4xf32>) -> (tensor<8x5x3xf32>, tensor<8x3x5xf32>, tensor<3x8x5xf32>, tensor<5x2x64xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : (tensor<8x3x4xf32>, tensor<4x5xf32>) -> tensor<8x3x5xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<8x3x5xf32>) -> tensor<8x5x3xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<8x3x5xf32>) -> tensor<3x8x5xf32>
  %3 = stablehlo.dot_general %c, %b, contracting_dims = [2] x [0] : (tensor<64x2x4xf32>, tensor<4x5xf32>) -> tensor<64x2x5xf32>
  %4 = stablehlo.transpose %3, dims = [2, 1, 0] : (tensor<64x2x5xf32>) -> tensor<5x2x64xf32>
  return %1, %0, %2, %4 : tensor<8x5x3xf32>, tensor<8x3x5xf32>, tensor<3x8x5xf32>, tensor<5x2x64xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x3x4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<64x2x4xf32>) -> (tensor<8x5x3xf32>, tensor<8x3x5xf32>, tensor<3x8x5xf32>, tensor<5x2x64xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<8x3x4xf32>, tensor<4x5xf32>) -> tensor<8x3x5xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<8x3x5xf32>) -> tensor<8x5x3xf32>
    %2 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<8x3x5xf32>) -> tensor<3x8x5xf32>
    %3 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [2] x [0] : (tensor<64x2x4xf32>, tensor<4x5xf32>) -> tensor<64x2x5xf32>
    %4 = stablehlo.transpose %3, dims = [2, 1, 0] : (tensor<64x2x5xf32>) -> tensor<5x2x64xf32>
    return %1, %0, %2, %4 : tensor<8x5x3xf32>, tensor<8x3x5xf32>, tensor<3x8x5xf32>, tensor<5x2x64xf32>
  }
}
