// RUN: --shardc-split-products
// Results, or entries of a batch, enough for all lanes: the sum stays whole.
func.func @main(%arg0: tensor<1x65536xf32>, %arg1: tensor<65536x1024xf32>, %arg2: tensor<4x200x4000xf32>, %arg3: tensor<4x4000x200xf32>) -> (tensor<1x1024xf32>, tensor<4x200x200xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1x65536xf32>, tensor<65536x1024xf32>) -> tensor<1x1024xf32>
  %1 = stablehlo.dot_general %arg2, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x200x4000xf32>, tensor<4x4000x200xf32>) -> tensor<4x200x200xf32>
  return %0, %1 : tensor<1x1024xf32>, tensor<4x200x200xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<1x65536xf32>, %arg1: tensor<65536x1024xf32>, %arg2: tensor<4x200x4000xf32>, %arg3: tensor<4x4000x200xf32>) -> (tensor<1x1024xf32>, tensor<4x200x200xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<1x65536xf32>, tensor<65536x1024xf32>) -> tensor<1x1024xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x200x4000xf32>, tensor<4x4000x200xf32>) -> tensor<4x200x200xf32>
    return %0, %1 : tensor<1x1024xf32>, tensor<4x200x200xf32>
  }
}
