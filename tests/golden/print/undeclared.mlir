// RUN: not --allow-unregistered-dialect
func.func @first(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %arg1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @second(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32
  return %0 : tensor<4xf32>
}
// ---- expect
undeclared.mlir:3:22: error: use of undeclared SSA value name '%arg1'
    %0 = stablehlo.abs %arg1 : tensor<4xf32>
                       ^
undeclared.mlir:7:49: error: expected '>', found 'return'
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32
                                                  ^
