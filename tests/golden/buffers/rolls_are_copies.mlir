// RUN: shardc --print-after=buffers
// Elements moved around a sharded dimension: two slices at fixed places of the caller's array.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [61:64, 0:256] : (tensor<64x256xf32>) -> tensor<3x256xf32>
    %1 = stablehlo.slice %arg0 [0:61, 0:256] : (tensor<64x256xf32>) -> tensor<61x256xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3x256xf32>, tensor<61x256xf32>) -> tensor<64x256xf32>
    return %2 : tensor<64x256xf32>
  }
}
// ---- expect
// after buffers
// 4 devices, arena 0 bytes, constants 0 bytes, scratch 0 bytes
// group 1: 0 0 0 0
result0[16,256]f32 = loop collective_permute+concatenate(arg0[3,256]f32 of group 1, arg0[13,256]f32)  // kernel 0, grid 1, function 0, 3072 bytes of collectives
    t1 = 48 0 16 32
    parallel i0:16
      parallel i1:256
        result0[i0, i1] = (i0 < 3 ? arg0@(0)[i0 + t1(r0), i1] : arg0[i0 - 3, i1])
    loops 0*1:4096 lanes cut 768
