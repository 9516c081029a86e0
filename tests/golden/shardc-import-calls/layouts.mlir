// RUN: --shardc-import-calls
// a function finds its operands, and leaves its results, in the layouts that the call says
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>) {
  %0:2 = stablehlo.custom_call @foreign(%arg0, %arg1) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 2, 1]> : tensor<3xindex>]} : (tensor<2x3xf32>, tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<4x2x3xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>) {
    %0 = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x3x2xf32>) -> tensor<4x2x3xf32>
    %2:2 = stablehlo.custom_call @foreign(%arg0, %1) : (tensor<2x3xf32>, tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>)
    %3 = stablehlo.reshape %2#0 : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %5 = stablehlo.reshape %2#1 : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
    %6 = stablehlo.transpose %5, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    return %4, %6 : tensor<2x3xf32>, tensor<4x2x3xf32>
  }
}
