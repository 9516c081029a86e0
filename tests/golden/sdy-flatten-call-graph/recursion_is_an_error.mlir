// RUN: not --sdy-flatten-call-graph
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- expect
recursion_is_an_error.mlir:7:8: error: function @f calls itself
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
         ^
