// RUN: shardc --print-after=schedule
// A long sum ends in a sum of few partial sums. That is no part of the loop that reads it, which all lanes share.
func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<1048576xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1048576xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1048576xf32>
  %3 = stablehlo.divide %x, %2 : tensor<1048576xf32>
  return %3 : tensor<1048576xf32>
}
// ---- expect
// after schedule
// 1 devices
b2[64]f32 = reduce multiply+reduce(arg0[1048576]f32)  // kernel 0, grid 64
    parallel i0:64
      fold f0 = add over i1:16384 of (arg0[i0*16384 + i1] * arg0[i0*16384 + i1]) from 0
      b2[i0] = f0
    loops 0:64 lanes
b3:f32 = reduce reduce(b2[64]f32)  // kernel 1, grid 1
    fold f0 = add over i0:64 of b2[i0] from 0
    b3[] = f0
    loops
result0[1048576]f32 = loop divide(arg0[1048576]f32, b3:f32)  // kernel 2, grid 256
    parallel i0:1048576
      result0[i0] = (arg0[i0] / b3[])
    loops 0:1048576 lanes
