// RUN: not --shardc-select-entry
// A computation that is under way is no result.
func.func @main(%arg0: tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>> {
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%arg1: tensor<4xf32>):
    %1 = stablehlo.slice %arg1 [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return %0 : !stablehlo.future<tensor<4xf32>>
}
// ---- expect
no_arrays_as_results.mlir:4:8: error: result 0 of the function to run has type '!stablehlo.future<tensor<4xf32>>': only tensors, tokens and tuples of them are supported
    %0 = "stablehlo.async_start"(%arg0) ({
         ^
