// RUN: shardc --print-after=buffers --constant-arguments=w
// Steps that constant arguments alone decide come first, and end in the barrier of all who read what they store: two devices pack half of the columns each. Nothing else lies in that memory.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<64x64xf32>) -> (tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %t = stablehlo.tanh %p : tensor<128x64xf32>
  %q = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %u = stablehlo.tanh %q : tensor<128x64xf32>
  %r = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %r : tensor<128x64xf32>
}
// ---- expect
// after buffers
// 2 devices, arena 40960 bytes (8192 kept), constants 0 bytes, scratch 34496 bytes
// group 1: 0 0
once: b3[2,64,16,1]f32@32768 = loop partition_id+convert+transpose(arg1[64,64]f32)  // kernel 0, grid 1, function 0
    parallel i0:2
      parallel i1:64
        parallel i2:16
          b3[i0, i1, i2, 0] = arg1[i1, i0*16 + i2 + r0*32]
    loops 0:2, 1:64 by 16, 2:16 lanes
once: barrier 1
b4[64,64]f32@0 = contract tanh+all_gather+dot_general with epilogue(arg0[64,64]f32, b3[2,64,16,1]f32@32768 of group 1)  // kernel 1, grid 1, function 1
    s0 = dot_general
      operand 0[i0, i1, i2] = arg0[i0, i1]
      operand 1[i3, i4, i5, i6] = b3@(i3/2)[i3%2, i4, i5, 0]
    parallel i7:64
      parallel i8:4
        parallel i9:16
          b4[i7, i8*16 + i9] = tanh(s0)
b5[64,64]f32@16384 = contract tanh+all_gather+dot_general with epilogue(b4[64,64]f32@0, b3[2,64,16,1]f32@32768 of group 1)  // kernel 2, grid 1, function 2
    s0 = dot_general
      operand 0[i0, i1, i2] = b4[i0, i1]
      operand 1[i3, i4, i5, i6] = b3@(i3/2)[i3%2, i4, i5, 0]
    parallel i7:64
      parallel i8:4
        parallel i9:16
          b5[i7, i8*16 + i9] = tanh(s0)
result0[64,64]f32 = contract all_gather+dot_general with epilogue(b5[64,64]f32@16384, b3[2,64,16,1]f32@32768 of group 1)  // kernel 3, grid 1, function 3
    s0 = dot_general
      operand 0[i0, i1, i2] = b5[i0, i1]
      operand 1[i3, i4, i5, i6] = b3@(i3/2)[i3%2, i4, i5, 0]
    parallel i7:64
      parallel i8:4
        parallel i9:16
          result0[i7, i8*16 + i9] = s0
