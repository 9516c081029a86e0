// What one array is read as in parts: even and odd elements (rotary embeddings), an image that is
// rolled and cut into windows, rows that begin where their number says.
// tolerance: 1e-2
func.func public @main(%x: tensor<3x9x34xbf16>, %c: tensor<9x17xbf16>, %i: tensor<2x15x15x20xbf16>, %f: tensor<2x15x15x20xf32>)
    -> (tensor<3x9x34xbf16>, tensor<2x3x3x5x5x20xbf16>, tensor<2x3x3x5x5x20xf32>) {
  %even = stablehlo.slice %x [0:3, 0:9, 0:34:2] : (tensor<3x9x34xbf16>) -> tensor<3x9x17xbf16>
  %odd = stablehlo.slice %x [0:3, 0:9, 1:34:2] : (tensor<3x9x34xbf16>) -> tensor<3x9x17xbf16>
  %cos = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<9x17xbf16>) -> tensor<3x9x17xbf16>
  %0 = stablehlo.multiply %even, %cos : tensor<3x9x17xbf16>
  %1 = stablehlo.subtract %0, %odd : tensor<3x9x17xbf16>
  %2 = stablehlo.multiply %odd, %cos : tensor<3x9x17xbf16>
  %3 = stablehlo.add %2, %even : tensor<3x9x17xbf16>
  %4 = stablehlo.concatenate %1, %3, dim = 2 : (tensor<3x9x17xbf16>, tensor<3x9x17xbf16>) -> tensor<3x9x34xbf16>
  %5 = stablehlo.slice %i [0:2, 2:15, 0:15, 0:20] : (tensor<2x15x15x20xbf16>) -> tensor<2x13x15x20xbf16>
  %6 = stablehlo.slice %i [0:2, 0:2, 0:15, 0:20] : (tensor<2x15x15x20xbf16>) -> tensor<2x2x15x20xbf16>
  %7 = stablehlo.concatenate %5, %6, dim = 1 : (tensor<2x13x15x20xbf16>, tensor<2x2x15x20xbf16>) -> tensor<2x15x15x20xbf16>
  %8 = stablehlo.reshape %7 : (tensor<2x15x15x20xbf16>) -> tensor<2x3x5x3x5x20xbf16>
  %9 = stablehlo.transpose %8, dims = [0, 1, 3, 2, 4, 5] : (tensor<2x3x5x3x5x20xbf16>) -> tensor<2x3x3x5x5x20xbf16>
  %10 = stablehlo.slice %f [0:2, 0:15, 4:15, 0:20] : (tensor<2x15x15x20xf32>) -> tensor<2x15x11x20xf32>
  %11 = stablehlo.slice %f [0:2, 0:15, 0:4, 0:20] : (tensor<2x15x15x20xf32>) -> tensor<2x15x4x20xf32>
  %12 = stablehlo.concatenate %10, %11, dim = 2 : (tensor<2x15x11x20xf32>, tensor<2x15x4x20xf32>) -> tensor<2x15x15x20xf32>
  %13 = stablehlo.reshape %12 : (tensor<2x15x15x20xf32>) -> tensor<2x3x5x3x5x20xf32>
  %14 = stablehlo.transpose %13, dims = [0, 1, 3, 2, 4, 5] : (tensor<2x3x5x3x5x20xf32>) -> tensor<2x3x3x5x5x20xf32>
  return %4, %9, %14 : tensor<3x9x34xbf16>, tensor<2x3x3x5x5x20xbf16>, tensor<2x3x3x5x5x20xf32>
}
