// RUN: not --stablehlo-refine-shapes
func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
  %x = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %ok = stablehlo.compare GE, %n, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "at least five of x, but there are {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<?xf32>
}
// ---- expect
assertion.mlir:7:3: error: shape assertion failed: at least five of x, but there are 4
    stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "at least five of x, but there are {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) ...
    ^
