// The largest and the smallest of narrow floats, which kernels find in f32: the same bits.
// tolerance: 0
func.func @main(%a: tensor<64x333xbf16>) -> (tensor<64xbf16>, tensor<333xbf16>, tensor<64xbf16>, tensor<64x332xbf16>) {
  %n = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %z = stablehlo.constant dense<1.0> : tensor<bf16>
  %m = stablehlo.reduce(%a init: %n) applies stablehlo.maximum across dimensions = [1] : (tensor<64x333xbf16>, tensor<bf16>) -> tensor<64xbf16>
  %c = stablehlo.reduce(%a init: %n) applies stablehlo.maximum across dimensions = [0] : (tensor<64x333xbf16>, tensor<bf16>) -> tensor<333xbf16>
  %k = stablehlo.reduce(%a init: %z) applies stablehlo.minimum across dimensions = [1] : (tensor<64x333xbf16>, tensor<bf16>) -> tensor<64xbf16>
  %w = "stablehlo.reduce_window"(%a, %n) <{window_dimensions = array<i64: 1, 2>}> ({
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %q = stablehlo.maximum %x, %y : tensor<bf16>
      stablehlo.return %q : tensor<bf16>
  }) : (tensor<64x333xbf16>, tensor<bf16>) -> tensor<64x332xbf16>
  return %m, %c, %k, %w : tensor<64xbf16>, tensor<333xbf16>, tensor<64xbf16>, tensor<64x332xbf16>
}
