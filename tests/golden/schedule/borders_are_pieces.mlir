// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<30x40xf32>, %b: tensor<30x8xf32>) -> tensor<32x48xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<30x40xf32>, tensor<30x8xf32>) -> tensor<30x48xf32>
  %1 = stablehlo.pad %0, %zero, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<30x48xf32>, tensor<f32>) -> tensor<32x48xf32>
  return %1 : tensor<32x48xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[32,48]f32 = loop pad(arg0[30,40]f32, arg1[30,8]f32)  // kernel 0, grid 1
    parallel i0:32
      parallel i1:48
        result0[i0, i1] = (0 <= i0 - 1 < 30 ? (i1 < 40 ? arg0[i0 - 1, i1] : arg1[i0 - 1, i1 - 40]) : 0)
    loops 0:32 cut 1 31, 1:48 lanes cut 40
