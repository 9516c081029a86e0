// RUN: not --symbol-dce
// Propagation edges have operands and results of their op as ends, and axes of the mesh that these have in common.
sdy.mesh @m = <["x"=2]>
sdy.mesh @n = <["y"=2]>
func.func @right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x":(1)2 = operand-0 -> [result-0]}]}, {step-4 = [{"x" = result-0 -> [operand-0]}, {"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
func.func @no_sharding(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
func.func @axis(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"y" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
func.func @operand(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-2]}]}]>} : tensor<8xf32>
  return
}
func.func @result(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result--1]}]}]>} : tensor<8xf32>
  return
}
func.func @meshes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"y"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-1]}]}]>} : tensor<8xf32>
  return
}
func.func @kind(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.propagation_edges = 1 : i64} : tensor<8xf32>
  return
}
func.func @list(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.result_propagation_edges = [1]} : tensor<8xf32>
  return
}
// ---- expect
propagation_edges.mlir:10:8: error: 'stablehlo.negate' op expected propagation edges attr to reference a sharding.
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
         ^
propagation_edges.mlir:14:8: error: 'stablehlo.negate' op expected axis ref to be in one of the meshes
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"y" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
         ^
propagation_edges.mlir:18:8: error: 'stablehlo.add' op expected a value ref to have an operand index in range [0, 2), got: 2
    %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-2]}]}]>} : tensor<8xf32>
         ^
propagation_edges.mlir:22:8: error: 'stablehlo.add' op expected a value ref to have a result index in range [0, 1), got: -1
    %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result--1]}]}]>} : tensor<8xf32>
         ^
propagation_edges.mlir:26:8: error: 'stablehlo.add' op expected a common mesh for propagation edges attr.
    %0 = stablehlo.add %arg0, %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [operand-1]}]}]>} : tensor<8xf32>
         ^
propagation_edges.mlir:30:8: error: 'stablehlo.negate' op should have a propagation edges attribute of type PropagationEdgesAttr for attr named 'sdy.propagation_edges'
    %0 = stablehlo.negate %arg0 {sdy.propagation_edges = 1 : i64} : tensor<8xf32>
         ^
propagation_edges.mlir:34:8: error: 'stablehlo.negate' op should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named 'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'
    %0 = stablehlo.negate %arg0 {sdy.result_propagation_edges = [1]} : tensor<8xf32>
         ^
