// RUN: shardc --print-after=schedule
// Several chunks share each of few long rows. The sums of such rows (in reverse order here, so that no row is one chunk) are made before them; sums of a few numbers are made in every chunk.
func.func @main(%x: tensor<32x4096xf32>, %y: tensor<32x4096xf32>, %s: tensor<32x4xf32>) -> (tensor<32x4096xf32>, tensor<32x4096xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<32x4096xf32>) -> tensor<32x64x64xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<32x64x64xf32>, tensor<f32>) -> tensor<32x64xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<32x64xf32>, tensor<f32>) -> tensor<32xf32>
  %r = stablehlo.reverse %2, dims = [0] : tensor<32xf32>
  %3 = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<32xf32>) -> tensor<32x4096xf32>
  %4 = stablehlo.add %y, %3 : tensor<32x4096xf32>
  %5 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1] : (tensor<32x4xf32>, tensor<f32>) -> tensor<32xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<32xf32>) -> tensor<32x4096xf32>
  %7 = stablehlo.multiply %y, %6 : tensor<32x4096xf32>
  return %4, %7 : tensor<32x4096xf32>, tensor<32x4096xf32>
}
// ---- expect
// after schedule
// 1 devices
b5[32,64]f32 = reduce reduce(arg0[32,4096]f32)  // kernel 0, grid 64
    parallel i0:32
      parallel i1:64
        fold f0 = add over i2:64 of arg0[i0, i1*64 + i2] from 0
        b5[i0, i1] = f0
    loops 0*1:2048 lanes
b6[32]f32 = reduce reduce(b5[32,64]f32)  // kernel 1, grid 1
    parallel i0:32
      fold f0 = add over i1:64 of b5[i0, i1] from 0
      b6[i0] = f0
    loops 0:32 lanes
result0[32,4096]f32 = loop add(arg1[32,4096]f32, b6[32]f32)  // kernel 2, grid 128
    parallel i0:32
      parallel i1:4096
        result0[i0, i1] = (arg1[i0, i1] + b6[31 - i0])
    loops 0:32, 1:4096 lanes
result1[32,4096]f32 = loop reduce+multiply(arg1[32,4096]f32, arg2[32,4]f32)  // kernel 3, grid 128
    parallel i0:32
      fold f0 = add over i2:4 of arg2[i0, i2] from 0
      parallel i1:4096
        result1[i0, i1] = (arg1[i0, i1] * f0)
    loops 0:32, 1:4096 lanes
