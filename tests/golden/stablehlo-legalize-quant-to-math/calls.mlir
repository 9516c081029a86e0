// RUN: --stablehlo-legalize-quant-to-math
// What is called takes and gives the stored integers.
func.func private @decomposition(%arg0: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>> {
  return %arg0 : tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
}
func.func @main(%arg0: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>> {
  %0 = stablehlo.composite "a.b" %arg0 {decomposition = @decomposition} : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
  %1 = stablehlo.custom_call @f(%0) : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
  return %1 : tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>
}
// ---- expect
module {
  func.func private @decomposition(%arg0: tensor<4xi8>) -> tensor<4xi8> {
    return %arg0 : tensor<4xi8>
  }
  func.func @main(%arg0: tensor<4xi8>) -> tensor<4xi8> {
    %0 = stablehlo.composite "a.b" %arg0 {decomposition = @decomposition} : (tensor<4xi8>) -> tensor<4xi8>
    %1 = stablehlo.custom_call @f(%0) : (tensor<4xi8>) -> tensor<4xi8>
    return %1 : tensor<4xi8>
  }
}
