// Every pattern of bf16: NaN stays NaN in functions, whatever its lower bits, and nothing else becomes one.
func.func public @main() -> (tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>) {
  %0 = stablehlo.iota dim = 0 : tensor<65536xui16>
  %a = stablehlo.bitcast_convert %0 : (tensor<65536xui16>) -> tensor<65536xbf16>
  %two = stablehlo.constant dense<2.0> : tensor<65536xbf16>
  %f0 = stablehlo.exponential %a : tensor<65536xbf16>
  %f1 = stablehlo.exponential_minus_one %a : tensor<65536xbf16>
  %f2 = stablehlo.tanh %a : tensor<65536xbf16>
  %f3 = stablehlo.logistic %a : tensor<65536xbf16>
  %f4 = stablehlo.log %a : tensor<65536xbf16>
  %f5 = stablehlo.log_plus_one %a : tensor<65536xbf16>
  %f6 = stablehlo.rsqrt %a : tensor<65536xbf16>
  %f7 = stablehlo.sqrt %a : tensor<65536xbf16>
  %f8 = stablehlo.cbrt %a : tensor<65536xbf16>
  %f9 = stablehlo.sine %a : tensor<65536xbf16>
  %f10 = stablehlo.tan %a : tensor<65536xbf16>
  %f11 = stablehlo.add %a, %two : tensor<65536xbf16>
  %f12 = stablehlo.multiply %a, %two : tensor<65536xbf16>
  %f13 = stablehlo.divide %a, %two : tensor<65536xbf16>
  %f14 = stablehlo.remainder %a, %two : tensor<65536xbf16>
  %f15 = stablehlo.power %a, %two : tensor<65536xbf16>
  %f16 = stablehlo.atan2 %a, %two : tensor<65536xbf16>
  %n0 = stablehlo.compare NE, %f0, %f0, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n1 = stablehlo.compare NE, %f1, %f1, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n2 = stablehlo.compare NE, %f2, %f2, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n3 = stablehlo.compare NE, %f3, %f3, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n4 = stablehlo.compare NE, %f4, %f4, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n5 = stablehlo.compare NE, %f5, %f5, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n6 = stablehlo.compare NE, %f6, %f6, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n7 = stablehlo.compare NE, %f7, %f7, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n8 = stablehlo.compare NE, %f8, %f8, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n9 = stablehlo.compare NE, %f9, %f9, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n10 = stablehlo.compare NE, %f10, %f10, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n11 = stablehlo.compare NE, %f11, %f11, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n12 = stablehlo.compare NE, %f12, %f12, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n13 = stablehlo.compare NE, %f13, %f13, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n14 = stablehlo.compare NE, %f14, %f14, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n15 = stablehlo.compare NE, %f15, %f15, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  %n16 = stablehlo.compare NE, %f16, %f16, FLOAT : (tensor<65536xbf16>, tensor<65536xbf16>) -> tensor<65536xi1>
  return %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8, %n9, %n10, %n11, %n12, %n13, %n14, %n15, %n16 : tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>, tensor<65536xi1>
}
