// RUN: --shardc-order-products
// Queries that share heads of keys. The scores are made in the order in which they are read, the gradient of the queries is what is transposed, and the sum over groups and queries reads the gradient's rows in their order.
func.func @main(%q: tensor<2x64x4x3x8xf32>, %k: tensor<2x32x4x8xf32>, %ds: tensor<2x4x3x64x32xf32>) -> (tensor<2x4x3x64x32xf32>, tensor<2x4x64x3x8xf32>, tensor<2x4x32x8xf32>) {
  %0 = stablehlo.dot_general %k, %q, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4] : (tensor<2x32x4x8xf32>, tensor<2x64x4x3x8xf32>) -> tensor<2x4x32x64x3xf32>
  %1 = stablehlo.transpose %0, dims = [0, 1, 4, 3, 2] : (tensor<2x4x32x64x3xf32>) -> tensor<2x4x3x64x32xf32>
  %2 = stablehlo.transpose %ds, dims = [0, 1, 4, 3, 2] : (tensor<2x4x3x64x32xf32>) -> tensor<2x4x32x64x3xf32>
  %3 = stablehlo.dot_general %2, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x4x32x64x3xf32>, tensor<2x32x4x8xf32>) -> tensor<2x4x64x3x8xf32>
  %4 = stablehlo.dot_general %2, %q, batching_dims = [0, 1] x [0, 2], contracting_dims = [3, 4] x [1, 3] : (tensor<2x4x32x64x3xf32>, tensor<2x64x4x3x8xf32>) -> tensor<2x4x32x8xf32>
  return %1, %3, %4 : tensor<2x4x3x64x32xf32>, tensor<2x4x64x3x8xf32>, tensor<2x4x32x8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x64x4x3x8xf32>, %arg1: tensor<2x32x4x8xf32>, %arg2: tensor<2x4x3x64x32xf32>) -> (tensor<2x4x3x64x32xf32>, tensor<2x4x64x3x8xf32>, tensor<2x4x32x8xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 3, 2, 1, 4] : (tensor<2x64x4x3x8xf32>) -> tensor<2x3x4x64x8xf32>
    %1 = stablehlo.dot_general %0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x3x4x64x8xf32>, tensor<2x32x4x8xf32>) -> tensor<2x4x3x64x32xf32>
    %2 = stablehlo.transpose %arg2, dims = [0, 1, 4, 3, 2] : (tensor<2x4x3x64x32xf32>) -> tensor<2x4x32x64x3xf32>
    %3 = stablehlo.dot_general %arg2, %arg1, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [1] : (tensor<2x4x3x64x32xf32>, tensor<2x32x4x8xf32>) -> tensor<2x4x3x64x8xf32>
    %4 = stablehlo.transpose %3, dims = [0, 1, 3, 2, 4] : (tensor<2x4x3x64x8xf32>) -> tensor<2x4x64x3x8xf32>
    %5 = stablehlo.dot_general %arg2, %arg0, batching_dims = [0, 1] x [0, 2], contracting_dims = [2, 3] x [3, 1] : (tensor<2x4x3x64x32xf32>, tensor<2x64x4x3x8xf32>) -> tensor<2x4x32x8xf32>
    return %1, %4, %5 : tensor<2x4x3x64x32xf32>, tensor<2x4x64x3x8xf32>, tensor<2x4x32x8xf32>
  }
}
