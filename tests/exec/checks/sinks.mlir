// Calls that keep a value alive, and calls that ask for one value before another, change nothing.
func.func @kept_and_ordered() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  stablehlo.custom_call @dce_sink(%1) {has_side_effect = true} : (tensor<2xf32>) -> ()
  %2 = stablehlo.multiply %0, %0 : tensor<2xf32>
  stablehlo.custom_call @control_dep(%2, %1) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %3 = stablehlo.subtract %2, %0 : tensor<2xf32>
  check.expect_eq_const %3, dense<[0.0, 2.0]> : tensor<2xf32>
  return
}
