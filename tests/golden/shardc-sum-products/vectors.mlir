// RUN: --shardc-sum-products
// The right operand takes the order of the left one; what is left of that is put in the order of the result. Sums of
// narrow floats are f32. A product with rows or columns stays one.
func.func @main(%arg0: tensor<64x8x32x4xf32>, %arg1: tensor<4x8x64x32xf32>, %arg2: tensor<16xbf16>, %arg3: tensor<16xi8>, %arg4: tensor<16x3xf32>, %arg5: tensor<16xf32>) -> (tensor<4x8xf32>, tensor<bf16>, tensor<i32>, tensor<3xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [3, 1] x [0, 1], contracting_dims = [2, 0] x [3, 2] : (tensor<64x8x32x4xf32>, tensor<4x8x64x32xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [0] x [0] : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<bf16>
  %2 = stablehlo.dot_general %arg3, %arg3, contracting_dims = [0] x [0] : (tensor<16xi8>, tensor<16xi8>) -> tensor<i32>
  %3 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [0] x [0] : (tensor<16x3xf32>, tensor<16xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<bf16>, tensor<i32>, tensor<3xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<64x8x32x4xf32>, %arg1: tensor<4x8x64x32xf32>, %arg2: tensor<16xbf16>, %arg3: tensor<16xi8>, %arg4: tensor<16x3xf32>, %arg5: tensor<16xf32>) -> (tensor<4x8xf32>, tensor<bf16>, tensor<i32>, tensor<3xf32>) {
    %0 = stablehlo.transpose %arg1, dims = [2, 1, 3, 0] : (tensor<4x8x64x32xf32>) -> tensor<64x8x32x4xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<64x8x32x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 2] : (tensor<64x8x32x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.convert %arg2 : (tensor<16xbf16>) -> tensor<16xf32>
    %5 = stablehlo.convert %arg2 : (tensor<16xbf16>) -> tensor<16xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %8 = stablehlo.convert %7 : (tensor<f32>) -> tensor<bf16>
    %9 = stablehlo.convert %arg3 : (tensor<16xi8>) -> tensor<16xi32>
    %10 = stablehlo.convert %arg3 : (tensor<16xi8>) -> tensor<16xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.reduce(%11 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<16xi32>, tensor<i32>) -> tensor<i32>
    %13 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [0] x [0] : (tensor<16x3xf32>, tensor<16xf32>) -> tensor<3xf32>
    return %3, %8, %12, %13 : tensor<4x8xf32>, tensor<bf16>, tensor<i32>, tensor<3xf32>
  }
}
