// Quantised tensors: the same integers evaluated and compiled.
func.func @slices_of_an_axis() {
  %a = stablehlo.constant dense<[[1.0, -20.0, 0x7FC00000], [1.0, 3.25, 100.0]]> : tensor<2x3xf32>
  %0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {5.000000e-01:3,2.000000e+00:-7}>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x3x!quant.uniform<i8:f32:0, {5.000000e-01:3,2.000000e+00:-7}>>) -> tensor<2x3xi8>
  check.expect_eq_const %1, dense<[[5, -37, 0], [-7, -5, 43]]> : tensor<2x3xi8>
  %2 = stablehlo.uniform_quantize %0 : (tensor<2x3x!quant.uniform<i8:f32:0, {5.000000e-01:3,2.000000e+00:-7}>>) -> tensor<2x3x!quant.uniform<u8:f32, 1.000000e+00:128>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x3x!quant.uniform<u8:f32, 1.000000e+00:128>>) -> tensor<2x3xf32>
  check.expect_eq_const %3, dense<[[1.0, -20.0, -2.0], [0.0, 4.0, 100.0]]> : tensor<2x3xf32>
  return
}
func.func @moves_and_sums() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 60.0]]> : tensor<2x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.uniform_quantize %a : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>
  %2 = stablehlo.add %0, %1 : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x2xf32>
  check.expect_eq_const %3, dense<[[2.0, 5.0], [5.0, 63.5]]> : tensor<2x2xf32>
  return
}
func.func @wide_storage() {
  %a = stablehlo.constant dense<[1.0e9, -3.0e9, 0.3]> : tensor<3xf32>
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i32:f32, 1.000000e+00:5>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<3x!quant.uniform<i32:f32, 1.000000e+00:5>>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[1000000005, -2147483648, 5]> : tensor<3xi32>
  return
}
