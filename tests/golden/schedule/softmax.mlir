// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.subtract %a, %1 : tensor<64x128xf32>
  %3 = stablehlo.exponential %2 : tensor<64x128xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x128xf32>
  return %6 : tensor<64x128xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[64,128]f32 = loop reduce+subtract+exponential+divide(arg0[64,128]f32)  // kernel 0, grid 24
    parallel i0:64
      local l0[128]f32 at 0
      pass i4:128
        fold f0 = maximum of arg0[i0, i4] from -inf
        loops 0:128 lanes
      pass i4:128
        x0 = exponential((arg0[i0, i4] - f0))
        l0[i4] = x0
        fold f1 = add of x0 from 0
        loops 0:128 lanes
      pass i4:128
        result0[i0, i4] = (l0[i4] / f1)
        loops 0:128 lanes
    loops 0:64
