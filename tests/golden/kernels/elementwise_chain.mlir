// RUN: shardc --print-after=kernels
// A chain of elementwise ops is one kernel with the reduction that reads it; transposes and slices are indices of loads.
func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x128xf32>) -> (tensor<32xf32>, tensor<64x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %b [0:32, 64:128] : (tensor<32x128xf32>) -> tensor<32x64xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %2 = stablehlo.add %a, %1 : tensor<64x32xf32>
  %3 = stablehlo.negate %2 : tensor<64x32xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32>
  %5 = stablehlo.tanh %a : tensor<64x32xf32>
  return %4, %5 : tensor<32xf32>, tensor<64x32xf32>
}
// ---- expect
// after kernels
// 1 devices
result0[32]f32 = reduce add+negate+reduce(arg0[64,32]f32, arg1[32,64]f32)  // kernel 0, grid 1
    parallel i0:32
      fold f0 = add over i1:64 of negate((arg0[i1, i0] + arg1[i0, i1])) from 0
      result0[i0] = f0
result1[64,32]f32 = loop tanh(arg0[64,32]f32)  // kernel 1, grid 1
    parallel i0:64
      parallel i1:32
        result1[i0, i1] = tanh(arg0[i0, i1])
