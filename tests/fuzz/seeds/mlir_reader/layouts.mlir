// a function finds its operands, and leaves its results, in the layouts that the call says
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>) {
  %0:2 = stablehlo.custom_call @foreign(%arg0, %arg1) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 2, 1]> : tensor<3xindex>]} : (tensor<2x3xf32>, tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<4x2x3xf32>
}
