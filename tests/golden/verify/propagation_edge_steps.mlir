// RUN: not --symbol-dce
// A step of propagation edges has one number that is not negative, and an edge goes to other values, to each once.
func.func @negative(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step--1 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
func.func @twice(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}, {step-1 = [{"y" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
func.func @to_itself(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0, operand-0]}]}]>} : tensor<8xf32>
  return
}
func.func @target_twice(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-7 = [{"x" = operand-0 -> [result-0, result-0]}]}]>} : tensor<8xf32>
  return
}
func.func @empty(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[]>} : tensor<8xf32>
  return
}
// ---- expect
propagation_edge_steps.mlir:4:78: error: custom op 'stablehlo.negate' propagation edges have negative step index: -1
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step--1 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
                                                                               ^
propagation_edge_steps.mlir:8:78: error: custom op 'stablehlo.negate' propagation edges have duplicate step index: 1
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}, {step-1 = [{"y" = operand-0 -> [res...
                                                                               ^
propagation_edge_steps.mlir:12:78: error: custom op 'stablehlo.negate' propagation edges have a source that is the same as a target
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0, operand-0]}]}]>} : tensor<8xf32>
                                                                               ^
propagation_edge_steps.mlir:16:78: error: custom op 'stablehlo.negate' propagation edges have duplicate targets for step index: 7 and axis: x
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-7 = [{"x" = operand-0 -> [result-0, result-0]}]}]>} : tensor<8xf32>
                                                                               ^
propagation_edge_steps.mlir:20:80: error: expected '{', found ']'
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[]>} : tensor<8xf32>
                                                                                 ^
