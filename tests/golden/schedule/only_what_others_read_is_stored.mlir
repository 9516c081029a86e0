// RUN: shardc --print-after=schedule
// The sum over devices is read twice, but by the kernel of the norm alone: it is no result of that kernel, and has no memory.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %1 = stablehlo.add %arg2, %0 : tensor<32x64xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<32x64xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x64xf32>, tensor<f32>) -> tensor<32xf32>
    %4 = stablehlo.rsqrt %3 : tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x64xf32>
    %6 = stablehlo.multiply %1, %5 : tensor<32x64xf32>
    return %1, %6 : tensor<32x64xf32>, tensor<32x64xf32>
  }
}
// ---- expect
// after schedule
// 2 devices
// group 1: 0 0
b5[32,64]f32 = contract dot_general(arg0[32,16]f32, arg1[16,64]f32)  // kernel 0, grid 1
    dot_general
result0[32,64]f32, result1[32,64]f32 = loop all_reduce+add+multiply+reduce+rsqrt(arg2[32,64]f32, b5[32,64]f32 of group 1)  // kernel 1, grid 1, 8192 bytes of collectives
    parallel i0:32
      local l0[64]f32 at 0
      pass i5:64
        fold f0 = add over i2:1 of b5@(1)[i0, i5] from b5@(0)[i0, i5]
        x0 = (arg2[i0, i5] + f0)
        l0[i5] = x0
        fold f1 = add of (x0 * x0) from 0
        result0[i0, i5] = x0
        loops 0:64 lanes
      pass i5:64
        result1[i0, i5] = (l0[i5] * rsqrt(f1))
        loops 0:64 lanes
    loops 0:32
