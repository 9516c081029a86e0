// RUN: not --sdy-import-func-calls
// A function that is only declared cannot be called.
func.func private @declared(%arg0: tensor<6xf32>) -> tensor<6xf32>
func.func private @calls(%arg0: tensor<6xf32>) -> tensor<6xf32> {
  %0 = call @declared(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
  %0 = call @calls(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// ---- expect
declared_only.mlir:5:8: error: 'func.call' op calls 'declared', which has no body
    %0 = call @declared(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
         ^
