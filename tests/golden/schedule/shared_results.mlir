// RUN: shardc --print-after=schedule
// What devices hold alike is made once, a part by each of them. The last result is not: nobody knows that it is alike on all devices.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%w: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %m: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (
    tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.add %w, %m : tensor<512x64xf32>
  %1 = stablehlo.multiply %w, %m : tensor<512x64xf32>
  %2 = sdy.manual_computation(%w) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x", "y"} (%a: tensor<64x64xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.pad %a, %z, low = [0, 0], high = [448, 0], interior = [0, 0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<512x64xf32>
    sdy.return %p : tensor<512x64xf32>
  } : (tensor<512x64xf32>) -> tensor<512x64xf32>
  return %0, %1, %2 : tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>
}
// ---- expect
// after schedule
// 8 devices
// group 1: 0 1 1 2 1 2 2 3
// group 2: 0 1 0 1 0 1 0 1
result0[256,64]f32 = loop add(arg0[256,64]f32, arg1[256,64]f32)  // kernel 0, grid 1
    t0 = 0 0 1 1 2 2 3 3
    t1 = 0 1 0 1 0 1 0 1
    parallel i2:64
      parallel i3:64
        result0@(t1(r0))[i2 + t0(r0)*64, i3] = (arg0[i2 + t0(r0)*64, i3] + arg1[i2 + t0(r0)*64, i3])
    loops 0*1:4096 lanes
result1[256,64]f32 = loop multiply(arg0[256,64]f32, arg1[256,64]f32)  // kernel 1, grid 1
    t0 = 0 0 1 1 2 2 3 3
    t1 = 0 1 0 1 0 1 0 1
    parallel i2:64
      parallel i3:64
        result1@(t1(r0))[i2 + t0(r0)*64, i3] = (arg0[i2 + t0(r0)*64, i3] * arg1[i2 + t0(r0)*64, i3])
    loops 0*1:4096 lanes
result2[512,64]f32 = loop partition_id+collective_permute+pad+convert(arg0[256,64]f32 of group 1)  // kernel 2, grid 24, 16384 bytes of collectives
    t1 = 0 64 128 192 0 64 128 192
    t2 = 0 0 0 0 256 256 256 256
    parallel i0:512
      parallel i1:64
        result2[i0, i1] = (i0 < 64 ? arg0@(0)[i0 + t1(r0) + t2(r0), i1] : 0)
    loops 0*1:32768 lanes cut 4096
