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
b2[64,128]f32 = loop reduce+subtract+exponential(arg0[64,128]f32)  // kernel 0, grid 2
    parallel i0:64
      fold f0 = maximum over i2:128 of arg0[i0, i2] from -inf
      parallel i1:128
        b2[i0, i1] = exponential((arg0[i0, i1] - f0))
    loops 0:64, 1:128 lanes
result0[64,128]f32 = loop reduce+divide(b2[64,128]f32)  // kernel 1, grid 2
    parallel i0:64
      fold f0 = add over i2:128 of b2[i0, i2] from 0
      parallel i1:128
        result0[i0, i1] = (b2[i0, i1] / f0)
    loops 0:64, 1:128 lanes
