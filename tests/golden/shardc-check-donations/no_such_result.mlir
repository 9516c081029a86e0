// RUN: not --shardc-check-donations
// An argument cannot give its memory to a result that is not there.
func.func @main(%arg0: tensor<8xf32> {tf.aliasing_output = 1 : i32}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- expect
no_such_result.mlir:3:17: error: argument 0: tf.aliasing_output names result 1, but the function has 1 results
  func.func @main(%arg0: tensor<8xf32> {tf.aliasing_output = 1 : i32}) -> tensor<8xf32> {
                  ^
