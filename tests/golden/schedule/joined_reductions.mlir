// RUN: shardc --print-after=schedule
// A sum and a sum of squares of the same elements are one kernel, which reads them once; what is made
// of both is made there, too.
func.func @main(%a: tensor<1000x256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<1000.0> : tensor<256xf32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000x256xf32>, tensor<f32>) -> tensor<256xf32>
  %1 = stablehlo.divide %0, %n : tensor<256xf32>
  %2 = stablehlo.multiply %a, %a : tensor<1000x256xf32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000x256xf32>, tensor<f32>) -> tensor<256xf32>
  %4 = stablehlo.divide %3, %n : tensor<256xf32>
  %5 = stablehlo.multiply %1, %1 : tensor<256xf32>
  %6 = stablehlo.subtract %4, %5 : tensor<256xf32>
  return %1, %6 : tensor<256xf32>, tensor<256xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[256]f32, result1[256]f32 = reduce reduce+divide+multiply+subtract with epilogue(arg0[1000,256]f32)  // kernel 0, grid 124
    parallel i0:256
      fold f0 = over i1:1000: s0 = (s0 + (arg0[i1, i0] * arg0[i1, i0])) from 0; s1 = (s1 + arg0[i1, i0]) from 0
      x0 = (f0.1 / 1000)
      result0[i0] = x0
      result1[i0] = ((f0.0 / 1000) - (x0 * x0))
    loops 0:256 lanes, fold by columns, step by step
