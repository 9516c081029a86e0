// RUN: --shardc-split-products
// Results enough for all lanes: the sum stays whole.
func.func @main(%arg0: tensor<1x65536xf32>, %arg1: tensor<65536x512xf32>) -> tensor<1x512xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1x65536xf32>, tensor<65536x512xf32>) -> tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<1x65536xf32>, %arg1: tensor<65536x512xf32>) -> tensor<1x512xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1x65536xf32>, tensor<65536x512xf32>) -> tensor<1x512xf32>
    return %0 : tensor<1x512xf32>
  }
}
