// Ops that communicate by themselves: a window that reaches over the border of a tile, and a dimension that does not divide.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<14xf32>, tensor<f32>) {
  %low = stablehlo.slice %a [0:14] : (tensor<16xf32>) -> tensor<14xf32>
  %high = stablehlo.slice %a [2:16] : (tensor<16xf32>) -> tensor<14xf32>
  %difference = stablehlo.subtract %high, %low : tensor<14xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %total = stablehlo.reduce(%difference init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<14xf32>, tensor<f32>) -> tensor<f32>
  return %difference, %total : tensor<14xf32>, tensor<f32>
}
