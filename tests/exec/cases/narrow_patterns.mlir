// Rounding to fewer bits, and the number after, in formats without infinities, signs of zero, or zero itself.
func.func public @main() -> (tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>) {
  %a = stablehlo.iota dim = 0 : tensor<256xui8>
  %b = stablehlo.reverse %a, dims = [0] : tensor<256xui8>
  %0 = stablehlo.bitcast_convert %a : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %1 = stablehlo.bitcast_convert %b : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %2 = chlo.next_after %0, %1 : tensor<256xf8E4M3FNUZ>, tensor<256xf8E4M3FNUZ> -> tensor<256xf8E4M3FNUZ>
  %3 = stablehlo.reduce_precision %0, format = e3m1 : tensor<256xf8E4M3FNUZ>
  %4 = stablehlo.bitcast_convert %2 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %5 = stablehlo.bitcast_convert %3 : (tensor<256xf8E4M3FNUZ>) -> tensor<256xui8>
  %6 = stablehlo.bitcast_convert %a : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %7 = stablehlo.bitcast_convert %b : (tensor<256xui8>) -> tensor<256xf8E8M0FNU>
  %8 = chlo.next_after %6, %7 : tensor<256xf8E8M0FNU>, tensor<256xf8E8M0FNU> -> tensor<256xf8E8M0FNU>
  %9 = stablehlo.bitcast_convert %8 : (tensor<256xf8E8M0FNU>) -> tensor<256xui8>
  %10 = stablehlo.bitcast_convert %a : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %11 = stablehlo.reduce_precision %10, format = e3m2 : tensor<256xf8E4M3FN>
  %12 = stablehlo.bitcast_convert %11 : (tensor<256xf8E4M3FN>) -> tensor<256xui8>
  return %4, %5, %9, %12 : tensor<256xui8>, tensor<256xui8>, tensor<256xui8>, tensor<256xui8>
}
