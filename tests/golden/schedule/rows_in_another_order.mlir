// RUN: shardc --print-after=schedule
// Rows of 64 are read along the second dimension and written along the first: in blocks of 8 positions all heads are made before the next block.
// The last block of 509 positions has fewer. Long rows need no blocks.
func.func @main(%a: tensor<8x512x16x64xf32>, %b: tensor<509x16x64xf32>, %c: tensor<512x16x512xf32>) -> (tensor<8x16x512x64xf32>, tensor<16x509x64xf32>, tensor<16x512x512xf32>) {
  %0 = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<8x512x16x64xf32>) -> tensor<8x16x512x64xf32>
  %1 = stablehlo.transpose %b, dims = [1, 0, 2] : (tensor<509x16x64xf32>) -> tensor<16x509x64xf32>
  %2 = stablehlo.transpose %c, dims = [1, 0, 2] : (tensor<512x16x512xf32>) -> tensor<16x512x512xf32>
  return %0, %1, %2 : tensor<8x16x512x64xf32>, tensor<16x509x64xf32>, tensor<16x512x512xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[8,16,512,64]f32 = loop transpose(arg0[8,512,16,64]f32)  // kernel 0, grid 1024
    parallel i0:8
      parallel i1:16
        parallel i2:512
          parallel i3:64
            result0[i0, i1, i2, i3] = arg0[i0, i2, i1, i3]
    loops 0:8, 1:16, 2:512 by 8, 3:64 lanes
result1[16,509,64]f32 = loop transpose(arg1[509,16,64]f32)  // kernel 1, grid 127
    parallel i0:16
      parallel i1:509
        parallel i2:64
          result1[i0, i1, i2] = arg1[i1, i0, i2]
    loops 0:16, 1:509 by 8, 2:64 lanes
result2[16,512,512]f32 = loop transpose(arg2[512,16,512]f32)  // kernel 2, grid 1024
    parallel i0:16
      parallel i1:512
        parallel i2:512
          result2[i0, i1, i2] = arg2[i1, i0, i2]
    loops 0:16, 1:512, 2:512 lanes
