// RUN: shardc --print-after=schedule
// What is added up is computed where it is read, and what the tiles before hold is added where the sum is stored.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<512x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ab = stablehlo.multiply %a, %b : tensor<512x64xf32>
  %0 = "stablehlo.reduce_window"(%ab, %zero) <{padding = dense<[[511, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 512, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%p0: tensor<f32>, %q0: tensor<f32>):
    %s0 = stablehlo.add %p0, %q0 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<512x64xf32>, tensor<f32>) -> tensor<512x64xf32>
  return %0 : tensor<512x64xf32>
}
// ---- expect
// after schedule
// 4 devices
// group 1: 0 0 0 0
b3[64]f32 = reduce multiply+reduce(arg0[128,64]f32, arg1[128,64]f32)  // kernel 0, grid 8
    parallel i0:64
      fold f0 = add over i1:128 of (arg0[i1, i0] * arg1[i1, i0]) from 0
      b3[i0] = f0
    loops 0:64 lanes, fold by columns, step by step
b4[64]f32 = reduce partition_id+all_gather+add+compare+select+reduce(b3[64]f32 of group 1)  // kernel 1, grid 1, 1024 bytes of collectives
    parallel i0:64
      fold f0 = add over i1:4 of select((i32(i1 - r0) < 0), b3@(i1)[i0], 0) from 0
      b4[i0] = f0
    loops 0:64 lanes
result0[128,64]f32 = window multiply+reduce_window+add with epilogue(b4[64]f32, arg0[128,64]f32, arg1[128,64]f32)  // kernel 2, grid 24
    serial i0:128
      parallel i1:64
        fold f0 = add of (arg0[i0, i1] * arg1[i0, i1]) from 0
        result0[i0, i1] = (b4[i1] + f0)
    loops 1:64 lanes
