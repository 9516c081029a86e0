// RUN: shardc --print-after=schedule
// The columns that are reduced are short, but not those that are made of the result.
func.func @main(%p: tensor<64x64xf32>, %a: tensor<20000x64xf32>) -> tensor<20000x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<64xf32>) -> tensor<20000x64xf32>
  %2 = stablehlo.subtract %a, %1 : tensor<20000x64xf32>
  return %2 : tensor<20000x64xf32>
}
// ---- expect
// after schedule
// 1 devices
b3[64]f32 = reduce reduce(arg0[64,64]f32)  // kernel 0, grid 1
    parallel i0:64
      fold f0 = add over i1:64 of arg0[i1, i0] from 0
      b3[i0] = f0
    loops 0:64 lanes, fold by columns, step by step
result0[20000,64]f32 = loop subtract(arg1[20000,64]f32, b3[64]f32)  // kernel 1, grid 312
    parallel i0:20000
      parallel i1:64
        result0[i0, i1] = (arg1[i0, i1] - b3[i1])
    loops 0:20000, 1:64 lanes
