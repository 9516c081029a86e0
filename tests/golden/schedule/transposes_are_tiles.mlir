// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<64x96xf32>, %b: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>
  %1 = stablehlo.add %0, %b : tensor<96x64xf32>
  return %1 : tensor<96x64xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[96,64]f32 = loop add(arg0[64,96]f32, arg1[96,64]f32)  // kernel 0, grid 8
    parallel i0:96
      parallel i1:64
        result0[i0, i1] = (arg0[i1, i0] + arg1[i0, i1])
    loops 0:96 tile, 1:64 lanes
