// RUN: shardc --print-after=schedule
func.func @main(%x: tensor<4x32x16x48xf32>, %r: tensor<4x32x16x48xf32>, %g: tensor<48xf32>, %b: tensor<16x48xf32>) -> (tensor<4x32x16x48xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<768.0> : tensor<4x32xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<4x32xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x32x16x48xf32>, tensor<f32>) -> tensor<4x32xf32>
  %mean = stablehlo.divide %s, %n : tensor<4x32xf32>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16x48xf32>
  %c = stablehlo.subtract %x, %mb : tensor<4x32x16x48xf32>
  %cc = stablehlo.multiply %c, %c : tensor<4x32x16x48xf32>
  %v = stablehlo.reduce(%cc init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x32x16x48xf32>, tensor<f32>) -> tensor<4x32xf32>
  %var = stablehlo.divide %v, %n : tensor<4x32xf32>
  %ve = stablehlo.add %var, %eps : tensor<4x32xf32>
  %rstd = stablehlo.rsqrt %ve : tensor<4x32xf32>
  %rb = stablehlo.broadcast_in_dim %rstd, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x16x48xf32>
  %h = stablehlo.multiply %c, %rb : tensor<4x32x16x48xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [3] : (tensor<48xf32>) -> tensor<4x32x16x48xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [2, 3] : (tensor<16x48xf32>) -> tensor<4x32x16x48xf32>
  %y = stablehlo.multiply %h, %gb : tensor<4x32x16x48xf32>
  %z = stablehlo.add %y, %bb : tensor<4x32x16x48xf32>
  %t = stablehlo.tanh %z : tensor<4x32x16x48xf32>
  %o = stablehlo.add %t, %r : tensor<4x32x16x48xf32>
  return %o, %mean, %rstd : tensor<4x32x16x48xf32>, tensor<4x32xf32>, tensor<4x32xf32>
}
// ---- expect
// after schedule
// 1 devices
result1[4,32]f32, result2[4,32]f32, result0[4,32,16,48]f32 = loop reduce+divide+subtract+multiply+add+rsqrt(arg0[4,32,16,48]f32, arg2[48]f32, arg3[16,48]f32, arg1[4,32,16,48]f32)  // kernel 0, grid 128
    parallel i0:4
      parallel i1:32
        pass i10:16, i11:48
          fold f0 = add of arg0[i0, i1, i10, i11] from 0
          loops 0*1:768 lanes
        pass i10:16, i11:48
          x0 = (arg0[i0, i1, i10, i11] - (f0 / 768))
          fold f1 = add of (x0 * x0) from 0
          loops 0*1:768 lanes
        pass i10:16, i11:48
          result0[i0, i1, i10, i11] = (tanh(((((arg0[i0, i1, i10, i11] - (f0 / 768)) * rsqrt(((f1 / 768) + 1e-05))) * arg2[i11]) + arg3[i10, i11])) + arg1[i0, i1, i10, i11])
          loops 0:16, 1:48 lanes
        result1[i0, i1] = (f0 / 768)
        result2[i0, i1] = rsqrt(((f1 / 768) + 1e-05))
    loops 0*1:128
