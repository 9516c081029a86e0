// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<16x64xf32>) -> tensor<16xi32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<16x64xi32>
  %0:2 = stablehlo.reduce(%a init: %low), (%i init: %zero) across dimensions = [1] : (tensor<16x64xf32>, tensor<16x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>)
    reducer(%x: tensor<f32>, %y: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %1 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %x, %y : tensor<i1>, tensor<f32>
      %3 = stablehlo.select %1, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
    }
  return %0#1 : tensor<16xi32>
}
// ---- expect
// after schedule
// 1 devices
b2[16]f32, result0[16]i32 = reduce reduce(arg0[16,64]f32)  // kernel 0, grid 1
    parallel i0:16
      fold f0 = over i1:64: s0 = select((s0 > arg0[i0, i1]), s0, arg0[i0, i1]) from -inf; s1 = select((s0 > arg0[i0, i1]), s1, i32(i1)) from 0
      b2[i0] = f0.0
      result0[i0] = f0.1
    loops 0:16 lanes
