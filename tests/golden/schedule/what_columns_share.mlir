// RUN: shardc --print-after=schedule
// A reflector's v is the same for all columns of a block: both passes read it where it lies, and the block keeps the columns alone.
func.func @main(%a: tensor<128x32xf32>, %v: tensor<128xf32>) -> tensor<128x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %vs = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<128xf32>) -> tensor<128x32xf32>
  %terms = stablehlo.multiply %vs, %a : tensor<128x32xf32>
  %w = stablehlo.reduce(%terms init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<128x32xf32>, tensor<f32>) -> tensor<32xf32>
  %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<32xf32>) -> tensor<128x32xf32>
  %product = stablehlo.multiply %vs, %ws : tensor<128x32xf32>
  %reflected = stablehlo.subtract %a, %product : tensor<128x32xf32>
  return %reflected : tensor<128x32xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[128,32]f32 = loop multiply+reduce+subtract(arg0[128,32]f32, arg1[128]f32)  // kernel 0, grid 1
    parallel i0:32
      columns i4:16 together
      local l0[2048]f32 at 0
      pass i3:128
        l0[i3*16 + i4] = arg0[i3, i0]
        fold f0 = add of (arg1[i3] * arg0[i3, i0]) from 0
        loops 0:128 lanes
      pass i3:128
        result0[i3, i0] = (l0[i3*16 + i4] - (arg1[i3] * f0))
        loops 0:128 lanes
    loops 0:32 lanes
