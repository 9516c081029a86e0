// RUN: shardc --print-after=schedule
// Results whose last dimension is short: vectors run along the one before it, and each makes all elements of the short rows, whatever these are made of.
func.func @main(%x: tensor<9x500x3xf32>, %y: tensor<700x3xf32>, %w: tensor<3x4xf32>) -> (tensor<9x500x3xf32>, tensor<700x4xf32>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<9x500x3xf32>
  %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<700x3xf32>, tensor<3x4xf32>) -> tensor<700x4xf32>
  return %0, %1 : tensor<9x500x3xf32>, tensor<700x4xf32>
}
// ---- expect
// after schedule
// 1 devices
result1[700,4]f32 = reduce multiply+reduce(arg1[700,3]f32, arg2[3,4]f32)  // kernel 0, grid 1
    parallel i0:700
      parallel i1:4
        fold f0 = add over i2:3 of (arg1[i0, i2] * arg2[i2, i1]) from 0
        result1[i0, i1] = f0
    loops 0:700 lanes, 1:4, lines shared
result0[9,500,3]f32 = loop reverse(arg0[9,500,3]f32)  // kernel 1, grid 12
    parallel i0:9
      parallel i1:500
        parallel i2:3
          result0[i0, i1, i2] = arg0[i0, 499 - i1, i2]
    loops 0:9, 1:500 lanes, 2:3, lines shared
