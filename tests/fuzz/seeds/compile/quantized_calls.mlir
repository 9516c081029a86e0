// Composites and calls pass on the stored integers of quantised tensors.
func.func private @halves(%a: tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x6x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = stablehlo.add %a, %a : tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>
}
func.func @main(%a: tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>) -> (tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x6xf32>) {
  %0 = stablehlo.composite "a.b" %a {decomposition = @halves} : (tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>
  %1 = call @halves(%0) : (tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x6xf32>
  return %0, %2 : tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x6xf32>
}
