// RUN: not --stablehlo-refine-shapes
func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
// ---- expect
data_dependent.mlir:3:8: error: 'stablehlo.dynamic_iota' op has a result of type 'tensor<?xi32>' whose shape is not known when the program is compiled
    %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
         ^
