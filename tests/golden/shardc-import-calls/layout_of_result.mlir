// RUN: --shardc-import-calls
// a result whose layout is left open has that of the constraint; others keep theirs
func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "auto"}, tensor<2x3xf32> {mhlo.layout_mode = "default"}, tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @LayoutConstraint(%arg0) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %0, %0 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
// ---- expect
module {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, tensor<2x3xf32> {mhlo.layout_mode = "default"}, tensor<2x3xf32>) {
    return %arg0, %arg0, %arg0 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
