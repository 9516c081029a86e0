// RUN: shardc --print-after=schedule
// A softmax between two products is one kernel: no array of queries and keys, blocks of keys under the mask alone.
func.func @main(%q: tensor<2x4x256x64xf32>, %k: tensor<2x4x256x64xf32>, %v: tensor<2x4x256x64xf32>) -> tensor<2x4x256x64xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x256x64xf32>, tensor<2x4x256x64xf32>) -> tensor<2x4x256x256xf32>
  %i = stablehlo.iota dim = 2 : tensor<2x4x256x256xi32>
  %j = stablehlo.iota dim = 3 : tensor<2x4x256x256xi32>
  %mask = stablehlo.compare GE, %i, %j : (tensor<2x4x256x256xi32>, tensor<2x4x256x256xi32>) -> tensor<2x4x256x256xi1>
  %low = stablehlo.constant dense<-1.0e+30> : tensor<2x4x256x256xf32>
  %1 = stablehlo.select %mask, %0, %low : tensor<2x4x256x256xi1>, tensor<2x4x256x256xf32>
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %inf) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x256x256xf32>, tensor<f32>) -> tensor<2x4x256xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<2x4x256xf32>) -> tensor<2x4x256x256xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<2x4x256x256xf32>
  %5 = stablehlo.exponential %4 : tensor<2x4x256x256xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x256x256xf32>, tensor<f32>) -> tensor<2x4x256xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x4x256xf32>) -> tensor<2x4x256x256xf32>
  %8 = stablehlo.divide %5, %7 : tensor<2x4x256x256xf32>
  %9 = stablehlo.dot_general %8, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x256x256xf32>, tensor<2x4x256x64xf32>) -> tensor<2x4x256x64xf32>
  return %9 : tensor<2x4x256x64xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[2,4,256,64]f32 = attention dot_general+compare+select+reduce+subtract+exponential(arg0[2,4,256,64]f32, arg1[2,4,256,64]f32, arg2[2,4,256,64]f32)  // kernel 0, grid 48
    parallel i0:8
      x0 = (i32(i1) >= i32(i2))
      parallel i1:256 in 6 blocks of 2 panels of 24
        serial i2:256 in 8 blocks of 32, but where never x0
          contract s1 = add over i6:64 of arg1[i0/4, i0%4, i2, i6] * arg0[i0/4, i0%4, i1, i6], tiles of 4x24, the left one in place
          s2 = fold maximum of select(x0, s1, -1e+30)
          offset s2
          s3 = exponential(score - offset)
          s4 = fold add of s3
          contract s5 = add over i2:256 of arg2[i0/4, i0%4, i2, i3] * s3, tiles of 4x24, the left one in place
        parallel i3:64
          result0[i0/4, i0%4, i1, i3] = (s5 / s4)
