// Two draws of one shape are different numbers: kernels of random numbers are equal only when they are one draw.
func.func @two_draws() {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<64> : tensor<1xi64>
  %a = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<64xf32>
  %b = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<64xf32>
  %d = stablehlo.subtract %a, %b : tensor<64xf32>
  %size = stablehlo.abs %d : tensor<64xf32>
  %most = stablehlo.reduce(%size init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %differ = stablehlo.compare GT, %most, %low : (tensor<f32>, tensor<f32>) -> tensor<i1>
  check.expect_eq_const %differ, dense<true> : tensor<i1>
  return
}
