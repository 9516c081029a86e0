// RUN: shardc --print-after=schedule
// The device whose number is read changes with the second axis, its place in that device's memory does not: the axis is a loop of its own, and the loops inside run in lanes.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x2x64x32xf32>, %s: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<16x2x64x32xf32> {
  %0 = sdy.manual_computation(%a, %s) in_shardings=[<@mesh, [{}, {}, {}, {}]>, <@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{"x"}, {}, {}, {}]>] manual_axes={"x"} (%b: tensor<8x2x64x32xf32>, %t: tensor<8x1xf32>) {
    %u = stablehlo.exponential %t : tensor<8x1xf32>
    %g = "stablehlo.all_gather"(%u) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<8x1xf32>) -> tensor<8x2xf32>
    %w = stablehlo.broadcast_in_dim %g, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x64x32xf32>
    %p = stablehlo.multiply %b, %w : tensor<8x2x64x32xf32>
    %r = stablehlo.tanh %p : tensor<8x2x64x32xf32>
    sdy.return %r : tensor<8x2x64x32xf32>
  } : (tensor<8x2x64x32xf32>, tensor<8x2xf32>) -> tensor<16x2x64x32xf32>
  return %0 : tensor<16x2x64x32xf32>
}
// ---- expect
// after schedule
// 2 devices
// group 1: 0 0
b3[8,1]f32 = loop exponential(arg1[8,1]f32)  // kernel 0, grid 1
    parallel i0:8
      b3[i0, 0] = exponential(arg1[i0, 0])
    loops 0:8 lanes
result0[8,2,64,32]f32 = loop all_gather+multiply+tanh(arg0[8,2,64,32]f32 of group 1, b3[8,1]f32 of group 1)  // kernel 1, grid 40, 64 bytes of collectives
    parallel i8:2
      parallel i9:2
        parallel i10:64
          parallel i11:32
            x0 = tanh((arg0@(0)[r0*2 + i8, i9, i10, i11] * b3@(i9)[r0*2 + i8, 0]))
            x1 = tanh((arg0@(0)[r0*2 + i8 + 4, i9, i10, i11] * b3@(i9)[r0*2 + i8 + 4, 0]))
            result0@(0)[r0*2 + i8, i9, i10, i11] = x0
            result0@(0)[r0*2 + i8 + 8, i9, i10, i11] = x0
            result0@(0)[r0*2 + i8 + 4, i9, i10, i11] = x1
            result0@(0)[r0*2 + i8 + 12, i9, i10, i11] = x1
    loops 0:2, 1:2, 2*3:2048 lanes
