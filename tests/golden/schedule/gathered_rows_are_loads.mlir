// RUN: shardc --print-after=schedule
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.tanh %a : tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
// ---- expect
// after schedule
// 4 devices
// group 1: 0 0 0 0
b2[4,32]f32 = loop tanh(arg0[4,32]f32)  // kernel 0, grid 1
    parallel i0:4
      parallel i1:32
        b2[i0, i1] = tanh(arg0[i0, i1])
    loops 0*1:128 lanes
result0[16,32]f32 = loop all_gather(b2[4,32]f32 of group 1)  // kernel 1, grid 1, 2048 bytes of collectives
    parallel i2:4
      parallel i3:32
        result0@(0)[r0*4 + i2, i3] = b2@(r0)[i2, i3]
    loops 0*1:128 lanes
