// RUN: shardc --print-after=kernels
// Multiples of an array that lies in memory are not stored for other devices, which make them of the array; nor is an argument in wider elements. What products read is stored, and so are narrower elements.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %m: tensor<64x32xf32>, %v: tensor<64x32xf32>, %b: tensor<64x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<32x16xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x16xf32>, tensor<64x32xf32>) {
    %g = stablehlo.exponential %x : tensor<64x32xf32>
    %tenth = stablehlo.constant dense<0.1> : tensor<64x32xf32>
    %small = stablehlo.constant dense<0.001> : tensor<64x32xf32>
    %0 = stablehlo.multiply %g, %tenth : tensor<64x32xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<64x32xf32>
    %2 = stablehlo.add %m, %1 : tensor<64x32xf32>
    %3 = stablehlo.multiply %g, %small : tensor<64x32xf32>
    %4 = stablehlo.multiply %3, %g : tensor<64x32xf32>
    %5 = sdy.reshard %4 <@mesh, [{}, {}]> : tensor<64x32xf32>
    %6 = stablehlo.add %v, %5 : tensor<64x32xf32>
    %7 = stablehlo.convert %b : (tensor<64x32xbf16>) -> tensor<64x32xf32>
    %8 = sdy.reshard %7 <@mesh, [{}, {}]> : tensor<64x32xf32>
    %9 = stablehlo.multiply %8, %m : tensor<64x32xf32>
    %10 = stablehlo.maximum %g, %tenth : tensor<64x32xf32>
    %11 = sdy.reshard %10 <@mesh, [{}, {}]> : tensor<64x32xf32>
    %12 = stablehlo.dot_general %11, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    %13 = stablehlo.convert %g : (tensor<64x32xf32>) -> tensor<64x32xbf16>
    %14 = sdy.reshard %13 <@mesh, [{}, {}]> : tensor<64x32xbf16>
    %15 = stablehlo.convert %14 : (tensor<64x32xbf16>) -> tensor<64x32xf32>
    %16 = stablehlo.subtract %15, %m : tensor<64x32xf32>
    return %2, %6, %9, %12, %16 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x16xf32>, tensor<64x32xf32>
  }
}
// ---- expect
// after kernels
// 4 devices
// group 1: 0 0 0 0
b10[16,32]f32 = loop exponential(arg0[16,32]f32)  // kernel 0, grid 1
    parallel i0:16
      parallel i1:32
        b10[i0, i1] = exponential(arg0[i0, i1])
b11[16,32]f32, b12[16,32]bf16 = loop maximum+convert(b10[16,32]f32)  // kernel 1, grid 1
    parallel i0:16
      parallel i1:32
        b11[i0, i1] = maximum(b10[i0, i1], 0.1)
        b12[i0, i1] = bf16(b10[i0, i1])
result3[64,16]f32 = contract dot_general+all_gather(b11[16,32]f32 of group 1, arg4[32,16]f32)  // kernel 2, grid 1, 8192 bytes of collectives
    dot_general
      operand 0[i0, i1] = b11@(i0/16)[i0%16, i1]
result0[64,32]f32, result1[64,32]f32, result2[64,32]f32, result4[64,32]f32 = loop multiply+add+convert+subtract+all_gather(arg1[64,32]f32, b10[16,32]f32 of group 1, arg2[64,32]f32, arg3[16,32]bf16 of group 1, b12[16,32]bf16 of group 1)  // kernel 3, grid 1, 24576 bytes of collectives
    parallel i2:16
      parallel i3:32
        result0@(0)[r0*16 + i2, i3] = (arg1[r0*16 + i2, i3] + (b10@(r0)[i2, i3] * 0.1))
        result1@(0)[r0*16 + i2, i3] = (arg2[r0*16 + i2, i3] + ((b10@(r0)[i2, i3] * 0.001) * b10@(r0)[i2, i3]))
        result2@(0)[r0*16 + i2, i3] = (f32(arg3@(0)[r0*16 + i2, i3]) * arg1[r0*16 + i2, i3])
        result4@(0)[r0*16 + i2, i3] = (f32(b12@(r0)[i2, i3]) - arg1[r0*16 + i2, i3])
