// A quantised constant beside values that are quantised.
func.func @main() -> (tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<ui8:f32, 4.0:9>>) {
  %c = stablehlo.constant() <{value = dense<[7, -3, 0]> : tensor<3xi8>}> : () -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %f = stablehlo.constant dense<[1.5, 60.0, -2.0]> : tensor<3xf32>
  %q = stablehlo.uniform_quantize %f : (tensor<3xf32>) -> tensor<3x!quant.uniform<ui8:f32, 4.0:9>>
  return %c, %q : tensor<3x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x!quant.uniform<ui8:f32, 4.0:9>>
}
