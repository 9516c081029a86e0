// RUN: --stablehlo-refine-shapes
func.func @main(%a: tensor<4xf32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %1 = stablehlo.negate %0 : tensor<?xf32, #stablehlo.bounds<4>>
  return %1 : tensor<?xf32, #stablehlo.bounds<4>>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.slice %arg0 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %1 = stablehlo.negate %0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
