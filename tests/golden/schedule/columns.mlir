// RUN: shardc --print-after=schedule
// Columns of an array are rows that lie side by side: blocks of them are made together.
func.func @main(%a: tensor<300x1000xbf16>, %g: tensor<1000xf32>) -> (tensor<300x1000xf32>, tensor<1000xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.convert %a : (tensor<300x1000xbf16>) -> tensor<300x1000xf32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<300x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1000xf32>) -> tensor<300x1000xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<300x1000xf32>
  %3 = stablehlo.exponential %2 : tensor<300x1000xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %5 = stablehlo.log %4 : tensor<1000xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<1000xf32>) -> tensor<300x1000xf32>
  %7 = stablehlo.subtract %2, %6 : tensor<300x1000xf32>
  %8 = stablehlo.tanh %g : tensor<1000xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<1000xf32>) -> tensor<300x1000xf32>
  %10 = stablehlo.multiply %7, %9 : tensor<300x1000xf32>
  %11 = stablehlo.add %5, %0 : tensor<1000xf32>
  return %10, %11 : tensor<300x1000xf32>, tensor<1000xf32>
}
// ---- expect
// after schedule
// 1 devices
b4[1000]f32 = loop tanh(arg1[1000]f32)  // kernel 0, grid 1
    parallel i0:1000
      b4[i0] = tanh(arg1[i0])
    loops 0:1000 lanes
b5[1000]f32, b6[1000]f32, result0[300,1000]f32 = loop convert+reduce+subtract+exponential+log+multiply(arg0[300,1000]bf16, b4[1000]f32)  // kernel 1, grid 32
    parallel i0:1000
      columns i5:32 together
      local l0[9600]f32 at 0
      local l1[9600]f32 at 0
      pass i4:300
        x0 = f32(arg0[i4, i0])
        l0[i4*32 + i5] = x0
        fold f0 = maximum of x0 from -inf
        loops 0:300 lanes
      pass i4:300
        x0 = (l0[i4*32 + i5] - f0)
        l1[i4*32 + i5] = x0
        fold f1 = add of exponential(x0) from 0
        number f2 = log(f1)
        loops 0:300 lanes
      pass i4:300
        result0[i4, i0] = ((l1[i4*32 + i5] - f2) * b4[i0])
        loops 0:300 lanes
      b5[i0] = f0
      b6[i0] = log(f1)
    loops 0:1000 lanes
result1[1000]f32 = loop add(b6[1000]f32, b5[1000]f32)  // kernel 2, grid 1
    parallel i0:1000
      result1[i0] = (b6[i0] + b5[i0])
    loops 0:1000 lanes
