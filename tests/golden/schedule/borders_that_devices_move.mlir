// RUN: shardc --print-after=schedule
// A padded array has other tiles than the slices of it: where the own rows end, the device's number says. The loop is cut around all such places, and the rows between know whose they are.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %c, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<512x64xf32>, tensor<f32>) -> tensor<514x64xf32>
  %1 = stablehlo.slice %0 [2:514, 0:64] : (tensor<514x64xf32>) -> tensor<512x64xf32>
  %2 = stablehlo.slice %0 [0:512, 0:64] : (tensor<514x64xf32>) -> tensor<512x64xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<512x64xf32>
  return %3 : tensor<512x64xf32>
}
// ---- expect
// after schedule
// 4 devices
// group 1: 0 1 2 2
// group 2: 0 1 1 1
// group 3: 0 0 1 2
// group 4: 0 0 1 1
// group 5: 0 0 0 0
result0[128,64]f32 = loop partition_id+collective_permute+subtract+convert(arg0[128,64]f32 of group 5, arg0[3,64]f32 of group 5)  // kernel 0, grid 8, 2048 bytes of collectives
    t2 = 1 0 0 0
    t5 = 0 1 1 0
    t6 = 0 0 128 0
    t8 = 0 1 1 1
    t11 = 0 0 0 1
    t12 = 0 0 1 2
    t15 = 0 0 1 1
    t16 = 0 0 0 128
    t17 = 0 0 128 256
    parallel i0:128
      parallel i1:64
        result0[i0, i1] = ((i0 - r0 + 3 < 1 ? (1 <= t11(r0) ? arg0@(0)[i0 + 385, i1] : 0) : (i0 - r0 + 3 < 130 ? (i0 + 2 < 129 ? arg0[i0 + 1, i1] : (1 <= t5(r0) ? arg0@(0)[i0 + t6(r0) + 129, i1] : 0)) : (1 <= t2(r0) ? (0 <= i0 - 126 < 1 ? 0 : arg0@(0)[i0 + 1, i1]) : 0))) - (i0 - r0 + 3 < 3 ? (1 <= t8(r0) ? (i0 - r0 + t12(r0) + 129 < 129 ? arg0@(0)[i0 - r0 + t12(r0) + t17(r0) + 128, i1] : (1 <= t15(r0) ? arg0@(0)[i0 + t16(r0) + 255, i1] : 0)) : 0) : (i0 < 1 ? 0 : arg0[i0 - 1, i1])))
    loops 0:128 cut 1 3 126 127, 1:64 lanes
