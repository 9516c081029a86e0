// RUN: shardc --print-after=kernels
// Rows whose k's lie on several devices are stored also where they are multiplied with panels that devices share.
module {
  sdy.mesh @mesh = <["d"=2, "t"=4]>
  func.func public @main(%x: tensor<512x768xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"t"}]>}, %w: tensor<768x768xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"t"}]>}) -> (tensor<512x768xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"t"}]>}) {
    %e = stablehlo.exponential %x : tensor<512x768xf32>
    %0 = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<512x768xf32>, tensor<768x768xf32>) -> tensor<512x768xf32>
    return %0 : tensor<512x768xf32>
  }
}
// ---- expect
// after kernels
// 8 devices
// group 1: 0 0 0 0 1 1 1 1
// group 2: 0 1 2 3 0 1 2 3
b3[256,192]f32 = loop exponential(arg0[256,192]f32)  // kernel 0, grid 64
    parallel i0:256
      parallel i1:192
        b3[i0, i1] = exponential(arg0[i0, i1])
b4[256,768]f32 = loop all_gather(b3[256,192]f32 of group 1)  // kernel 1, grid 120, 786432 bytes of collectives
    t0 = 0 0 0 0 4 4 4 4
    parallel i0:256
      parallel i1:768
        b4[i0, i1] = b3@(i1/192 + t0(r0))[i0, i1%192]
b5[6,768,16,1]f32 = loop partition_id+convert+transpose(arg1[768,192]f32)  // kernel 2, grid 72
    t0 = 0 0 0 0 6 6 6 6
    parallel i0:6
      parallel i1:768
        parallel i2:16
          b5[i0, i1, i2, 0] = arg1[i1, i0*16 + i2 + t0(r0)*16]
result0[256,192]f32 = contract all_gather+dot_general with epilogue(b4[256,768]f32, b5[6,768,16,1]f32 of group 2)  // kernel 3, grid 12
    t0 = 0 1 2 3 0 1 2 3
    s0 = dot_general
      operand 0[i0, i1, i2] = b4[i0, i1]
      operand 1[i3, i4, i5, i6] = b5@(i3/6*4 + t0(r0))[i3%6, i4, i5, 0]
    parallel i7:256
      parallel i8:12
        parallel i9:16
          result0[i7, i8*16 + i9] = s0
