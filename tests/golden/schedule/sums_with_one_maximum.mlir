// RUN: shardc --print-after=schedule
// A cross entropy: the sum of exponentials and what a label selects are made of the same row and its maximum, so one pass makes both.
func.func @main(%x: tensor<64x512xf32>, %y: tensor<64xi32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%x init: %l) applies stablehlo.maximum across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x512xf32>
  %e = stablehlo.exponential %d : tensor<64x512xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %g = stablehlo.log %s : tensor<64xf32>
  %i = stablehlo.iota dim = 1 : tensor<64x512xi32>
  %yb = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<64xi32>) -> tensor<64x512xi32>
  %p = stablehlo.compare EQ, %i, %yb : (tensor<64x512xi32>, tensor<64x512xi32>) -> tensor<64x512xi1>
  %zb = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
  %k = stablehlo.select %p, %d, %zb : tensor<64x512xi1>, tensor<64x512xf32>
  %t = stablehlo.reduce(%k init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %o = stablehlo.subtract %g, %t : tensor<64xf32>
  %r = stablehlo.reduce(%o init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
// ---- expect
// after schedule
// 1 devices
b3[64]f32, b4[64]f32 = reduce reduce+subtract+exponential+compare+select(arg1[64]i32, arg0[64,512]f32)  // kernel 0, grid 64
    parallel i0:64
      pass i4:512
        fold f0 = maximum of arg0[i0, i4] from -inf
        loops 0:512 lanes
      pass i4:512
        x0 = (arg0[i0, i4] - f0)
        fold f1 = add of select((i32(i4) == arg1[i0]), x0, 0) from 0
        fold f2 = add of exponential(x0) from 0
        loops 0:512 lanes
      b3[i0] = f1
      b4[i0] = f2
    loops 0:64
result0:f32 = reduce log+subtract+reduce(b4[64]f32, b3[64]f32)  // kernel 1, grid 1
    fold f0 = add over i0:64 of (log(b4[i0]) - b3[i0]) from 0
    result0[] = f0
    loops
