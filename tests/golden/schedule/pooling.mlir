// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<8x9x64xf32>) -> tensor<8x5x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %low) <{padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x9x64xf32>, tensor<f32>) -> tensor<8x5x64xf32>
  return %0 : tensor<8x5x64xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[8,5,64]f32 = window reduce_window(arg0[8,9,64]f32)  // kernel 0, grid 1
    parallel i0:8
      parallel i1:5
        parallel i2:64
          fold f0 = maximum over i3:1, i4:3, i5:1 of (0 <= i1*2 + i4 - 1 < 9 ? arg0[i0, i1*2 + i4 - 1, i2] : -inf) from -inf
          result0[i0, i1, i2] = f0
    loops 0:8, 1:5 cut 1 4, 2:64 lanes
