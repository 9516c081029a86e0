// RUN: not --stablehlo-refine-shapes
func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
  %n = stablehlo.constant dense<5> : tensor<1xi32>
  %x = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}
// ---- expect
contradiction.mlir:6:8: error: 'stablehlo.add' op requires compatible types for all operands and results
    %1 = stablehlo.add %0, %x : tensor<?xf32>
         ^
