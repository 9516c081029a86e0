// RUN: shardc --print-after=schedule
// Folds of few steps have no loop: vectors run along the results, whose operands may lie anywhere. A longer fold runs by columns where most of what it reads lies
// along the results, or is the same there.
func.func @main(%p: tensor<70x3xf32>, %q: tensor<30x3xf32>, %m: tensor<50x37xf32>, %n: tensor<37x70xf32>) -> (tensor<70x30xf32>, tensor<50x70xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %p0 = stablehlo.broadcast_in_dim %p, dims = [0, 2] : (tensor<70x3xf32>) -> tensor<70x30x3xf32>
  %q0 = stablehlo.broadcast_in_dim %q, dims = [1, 2] : (tensor<30x3xf32>) -> tensor<70x30x3xf32>
  %e = stablehlo.subtract %p0, %q0 : tensor<70x30x3xf32>
  %f = stablehlo.multiply %e, %e : tensor<70x30x3xf32>
  %0 = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<70x30x3xf32>, tensor<f32>) -> tensor<70x30xf32>
  %m0 = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<50x37xf32>) -> tensor<50x37x70xf32>
  %n0 = stablehlo.broadcast_in_dim %n, dims = [1, 2] : (tensor<37x70xf32>) -> tensor<50x37x70xf32>
  %h = stablehlo.add %m0, %n0 : tensor<50x37x70xf32>
  %1 = stablehlo.reduce(%h init: %inf) applies stablehlo.minimum across dimensions = [1] : (tensor<50x37x70xf32>, tensor<f32>) -> tensor<50x70xf32>
  return %0, %1 : tensor<70x30xf32>, tensor<50x70xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[70,30]f32 = reduce subtract+multiply+reduce(arg0[70,3]f32, arg1[30,3]f32)  // kernel 0, grid 1
    parallel i0:70
      parallel i1:30
        fold f0 = add over i2:3 of ((arg0[i0, i2] - arg1[i1, i2]) * (arg0[i0, i2] - arg1[i1, i2])) from 0
        result0[i0, i1] = f0
    loops 0:70, 1:30 lanes
result1[50,70]f32 = reduce add+reduce(arg2[50,37]f32, arg3[37,70]f32)  // kernel 1, grid 28
    parallel i0:50
      parallel i1:70
        fold f0 = minimum over i2:37 of (arg2[i0, i2] + arg3[i2, i1]) from inf
        result1[i0, i1] = f0
    loops 0:50, 1:70 lanes, fold by columns
