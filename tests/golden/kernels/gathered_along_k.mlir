// RUN: shardc --print-after=kernels
// Rows whose k's lie on several devices are stored where many columns are multiplied with them; not for few rows, few columns, or where whole rows are gathered.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %few: tensor<8x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %rows: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %narrow: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %e = stablehlo.exponential %x : tensor<64x256xf32>
    %f = stablehlo.exponential %few : tensor<8x256xf32>
    %r = stablehlo.exponential %rows : tensor<64x256xf32>
    %t = stablehlo.tanh %x : tensor<64x256xf32>
    %0 = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32>
    %1 = stablehlo.dot_general %f, %w, contracting_dims = [1] x [0] : (tensor<8x256xf32>, tensor<256x512xf32>) -> tensor<8x512xf32>
    %2 = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32>
    %3 = stablehlo.dot_general %t, %narrow, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x64xf32>) -> tensor<64x64xf32>
    return %0, %1, %2, %3 : tensor<64x512xf32>, tensor<8x512xf32>, tensor<64x512xf32>, tensor<64x64xf32>
  }
}
// ---- expect
// after kernels
// 4 devices
// group 1: 0 0 0 0
b9[8,64]f32 = loop exponential(arg1[8,64]f32)  // kernel 0, grid 1
    parallel i0:8
      parallel i1:64
        b9[i0, i1] = exponential(arg1[i0, i1])
b10[16,256]f32 = loop exponential(arg2[16,256]f32)  // kernel 1, grid 8
    parallel i0:16
      parallel i1:256
        b10[i0, i1] = exponential(arg2[i0, i1])
b11[64,64]f32, b12[64,64]f32 = loop exponential+tanh(arg0[64,64]f32)  // kernel 2, grid 20
    parallel i0:64
      parallel i1:64
        b11[i0, i1] = exponential(arg0[i0, i1])
        b12[i0, i1] = tanh(arg0[i0, i1])
result2[64,128]f32 = contract all_gather+dot_general(b10[16,256]f32 of group 1, arg3[256,128]f32)  // kernel 3, grid 4, 65536 bytes of collectives
    dot_general
      operand 0[i0, i1] = b10@(i0/16)[i0%16, i1]
b13[64,256]f32 = loop all_gather(b11[64,64]f32 of group 1)  // kernel 4, grid 8, 65536 bytes of collectives
    parallel i0:64
      parallel i1:256
        b13[i0, i1] = b11@(i1/64)[i0, i1%64]
result0[64,128]f32 = contract dot_general(b13[64,256]f32, arg3[256,128]f32)  // kernel 5, grid 4
    dot_general
b14[8,512]f32 = contract all_gather+dot_general(b9[8,64]f32 of group 1, arg3[256,128]f32 of group 1)  // kernel 6, grid 2, 8192 bytes of collectives
    dot_general
      operand 0[i0, i1, i2] = b9@(i1)[i0, i2]
      operand 1[i3, i4, i5] = arg3@(0)[i3*64 + i4, i5]
result3[64,16]f32 = contract all_gather+dot_general(b12[64,64]f32 of group 1, arg4[256,16]f32)  // kernel 7, grid 1, 65536 bytes of collectives
    dot_general
      operand 0[i0, i1, i2] = b12@(i1)[i0, i2]
      operand 1[i3, i4, i5] = arg4[i3*64 + i4, i5]
result1[8,128]f32 = loop partition_id+convert+dynamic_slice(b14[8,512]f32)  // kernel 8, grid 1
    parallel i0:8
      parallel i1:128
        result1[i0, i1] = b14[i0, i1 + r0*128]
