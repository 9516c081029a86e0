// RUN: shardc --print-after=schedule
// The vector is the same number for all columns: sums run along the columns, as the matrix lies in
// memory. Where the matrix lies along the sum, they run along the sum.
func.func @main(%v: tensor<200xf32>, %a: tensor<200x150xf32>, %b: tensor<150x200xf32>) -> (tensor<150xf32>, tensor<150xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<200xf32>) -> tensor<200x150xf32>
  %1 = stablehlo.multiply %0, %a : tensor<200x150xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<200x150xf32>, tensor<f32>) -> tensor<150xf32>
  %3 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<200xf32>) -> tensor<150x200xf32>
  %4 = stablehlo.multiply %3, %b : tensor<150x200xf32>
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<150x200xf32>, tensor<f32>) -> tensor<150xf32>
  return %2, %5 : tensor<150xf32>, tensor<150xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[150]f32 = reduce multiply+reduce(arg0[200]f32, arg1[200,150]f32)  // kernel 0, grid 12
    parallel i0:150
      fold f0 = add over i1:200 of (arg0[i1] * arg1[i1, i0]) from 0
      result0[i0] = f0
    loops 0:150 lanes, fold by columns
result1[150]f32 = reduce multiply+reduce(arg0[200]f32, arg2[150,200]f32)  // kernel 1, grid 12
    parallel i0:150
      fold f0 = add over i1:200 of (arg0[i1] * arg2[i0, i1]) from 0
      result1[i0] = f0
    loops 0:150 lanes
