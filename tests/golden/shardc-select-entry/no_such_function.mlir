// RUN: not --shardc-select-entry=entry=absent
// A name that no function has is refused.
func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = call @used(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @used(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
func.func private @unused(%arg0: tensor<f32>) -> tensor<f32> {
  %0 = call @only_by_unused(%arg0) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @only_by_unused(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
// ---- expect
no_such_function.mlir:1:1: error: the program has no function @absent
  // RUN: not --shardc-select-entry=entry=absent
  ^
