// RUN: shardc --print-after=schedule
func.func @main(%x: tensor<8x128x128xf32>, %v: tensor<8x128x64xf32>) -> tensor<8x128x64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
  %d = stablehlo.subtract %x, %mb : tensor<8x128x128xf32>
  %e = stablehlo.exponential %d : tensor<8x128x128xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x128x128xf32>, tensor<f32>) -> tensor<8x128xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x128xf32>
  %q = stablehlo.divide %e, %sb : tensor<8x128x128xf32>
  %o = stablehlo.dot_general %q, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x128x128xf32>, tensor<8x128x64xf32>) -> tensor<8x128x64xf32>
  return %o : tensor<8x128x64xf32>
}
// ---- expect
// after schedule
// 1 devices
b3[8,128,128]f32 = loop reduce+subtract+exponential+divide(arg0[8,128,128]f32)  // kernel 0, grid 128
    parallel i0:8
      parallel i1:128
        local l0[128]f32 at 0
        pass i5:128
          fold f0 = maximum of arg0[i0, i1, i5] from -inf
          loops 0:128 lanes
        pass i5:128
          x0 = exponential((arg0[i0, i1, i5] - f0))
          l0[i5] = x0
          fold f1 = add of x0 from 0
          loops 0:128 lanes
        pass i5:128
          b3[i0, i1, i5] = (l0[i5] / f1)
          loops 0:128 lanes
    loops 0*1:1024
result0[8,128,64]f32 = contract dot_general(b3[8,128,128]f32, arg1[8,128,64]f32)  // kernel 1, grid 16
    dot_general
