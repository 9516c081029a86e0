// Numbers of bf16 below the smallest normal one: moves, choices and comparisons keep them. A conversion to bfloat would lose them.
func.func public @main() -> (tensor<3x2xbf16>, tensor<3x2xbf16>, tensor<2x5xbf16>) {
  %a = stablehlo.constant dense<[[0x0001, 0x8001], [0x0041, 0x8040], [0x007F, 0x3F80]]> : tensor<3x2xbf16>
  %b = stablehlo.constant dense<[[0x8002, 0x0002], [0x0040, 0x8041], [0x0000, 0x0003]]> : tensor<3x2xbf16>
  %z = stablehlo.constant dense<0x0005> : tensor<bf16>
  %0 = stablehlo.maximum %a, %b : tensor<3x2xbf16>
  %1 = stablehlo.negate %b : tensor<3x2xbf16>
  %2 = stablehlo.pad %a, %z, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<3x2xbf16>, tensor<bf16>) -> tensor<5x2xbf16>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<5x2xbf16>) -> tensor<2x5xbf16>
  return %0, %1, %3 : tensor<3x2xbf16>, tensor<3x2xbf16>, tensor<2x5xbf16>
}
