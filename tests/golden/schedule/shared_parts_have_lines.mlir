// RUN: shardc --print-after=schedule
// Each of these numbers is used twice: as text, the sum would be twice as long for each without lines of their own.
func.func @main(%arg0: tensor<64x256xf32>) -> tensor<64xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<64x256xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %arg0, %c : tensor<64x256xf32>
  %1 = stablehlo.multiply %arg0, %0 : tensor<64x256xf32>
  %2 = stablehlo.add %1, %c : tensor<64x256xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<64x256xf32>
  %4 = stablehlo.add %3, %c : tensor<64x256xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<64x256xf32>
  %6 = stablehlo.add %5, %c : tensor<64x256xf32>
  %7 = stablehlo.multiply %5, %6 : tensor<64x256xf32>
  %8 = stablehlo.add %7, %c : tensor<64x256xf32>
  %9 = stablehlo.multiply %7, %8 : tensor<64x256xf32>
  %10 = stablehlo.add %9, %c : tensor<64x256xf32>
  %11 = stablehlo.multiply %9, %10 : tensor<64x256xf32>
  %12 = stablehlo.add %11, %c : tensor<64x256xf32>
  %13 = stablehlo.multiply %11, %12 : tensor<64x256xf32>
  %14 = stablehlo.reduce(%13 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<64xf32>
  return %14 : tensor<64xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[64]f32 = reduce add+multiply+reduce(arg0[64,256]f32)  // kernel 0, grid 28
    parallel i0:64
      x0 = (arg0[i0, i1] * (arg0[i0, i1] + 1))
      x1 = (x0 * (x0 + 1))
      x2 = (x1 * (x1 + 1))
      x3 = (x2 * (x2 + 1))
      x4 = (x3 * (x3 + 1))
      x5 = (x4 * (x4 + 1))
      fold f0 = add over i1:256 of (x5 * (x5 + 1)) from 0
      result0[i0] = f0
    loops 0:64 lanes
