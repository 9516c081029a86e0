// Every pattern of bf16: sums, products and largest of windows round to the nearest, also below the smallest normal number.
func.func public @main() -> (tensor<65536xbf16>, tensor<65536xbf16>, tensor<65535xbf16>) {
  %0 = stablehlo.iota dim = 0 : tensor<65536xui16>
  %a = stablehlo.bitcast_convert %0 : (tensor<65536xui16>) -> tensor<65536xbf16>
  %b = stablehlo.reverse %a, dims = [0] : tensor<65536xbf16>
  %half = stablehlo.constant dense<0.501> : tensor<65536xbf16>
  %least = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %1 = stablehlo.add %a, %b : tensor<65536xbf16>
  %2 = stablehlo.multiply %a, %half : tensor<65536xbf16>
  %3 = "stablehlo.reduce_window"(%a, %least) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %4 = stablehlo.maximum %x, %y : tensor<bf16>
    stablehlo.return %4 : tensor<bf16>
  }) : (tensor<65536xbf16>, tensor<bf16>) -> tensor<65535xbf16>
  return %1, %2, %3 : tensor<65536xbf16>, tensor<65536xbf16>, tensor<65535xbf16>
}
