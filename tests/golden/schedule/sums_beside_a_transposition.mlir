// RUN: shardc --print-after=schedule
// The transposed array is stored: the sums read neighbours of both.
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [1, 0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ---- expect
// after schedule
// 1 devices
b3[512,512]f32 = loop transpose(arg1[512,512]f32)  // kernel 0, grid 64
    parallel i0:512
      parallel i1:512
        b3[i0, i1] = arg1[i1, i0]
    loops 0:512 tile, 1:512 lanes
b4[64]f32 = reduce multiply+reduce(arg0[512,512]f32, b3[512,512]f32)  // kernel 1, grid 64
    parallel i0:64
      fold f0 = add over i3:4096 of (arg0[i0*8 + i3/512, i3%512] * b3[i0*8 + i3/512, i3%512]) from 0
      b4[i0] = f0
    loops 0:64 lanes
result0:f32 = reduce reduce(b4[64]f32)  // kernel 2, grid 1
    fold f0 = add over i0:64 of b4[i0] from 0
    result0[] = f0
    loops
