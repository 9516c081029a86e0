// RUN: not --shardc-select-entry
// A scalar that is no tensor holds no array that a caller could give.
func.func @main(%arg0: tensor<4xf32>, %arg1: f32) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
// ---- expect
no_arrays.mlir:3:39: error: argument 1 of the function to run has type 'f32': only tensors, tokens and tuples of them are supported
  func.func @main(%arg0: tensor<4xf32>, %arg1: f32) -> tensor<4xf32> {
                                        ^
