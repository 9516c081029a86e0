// RUN: --shardc-order-products
// The transpose of a product is the product of the operands in the other order.
func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1] : (tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
