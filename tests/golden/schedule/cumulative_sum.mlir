// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [0, 63]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 64>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[8,64]f32 = window reduce_window(arg0[8,64]f32)  // kernel 0, grid 1
    parallel i0:8
      serial i1:64 downwards
        fold f0 = add of arg0[i0, i1] from 0
        result0[i0, i1] = f0
    loops 0:8 lanes
