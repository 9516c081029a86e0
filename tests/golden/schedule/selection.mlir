// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<8x8xf32>, %b: tensor<4x4xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %b, %zero) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[8,8]f32 = select_and_scatter select_and_scatter(arg0[8,8]f32, arg1[4,4]f32)  // kernel 0, grid 1
    parallel i0:8
      parallel i1:8
        fold f0 = over i2:2, i3:2 where (i0 + i2 + 1)%2 < 1 and 0 <= (i0 + i2 + 1)/2 - 1 and (i1 + i3 + 1)%2 < 1 and 0 <= (i1 + i3 + 1)/2 - 1: s0 = ((fold over i4:2, i5:2 where 0 <= (i0 + i2 + 1)/2*2 + i4 - 2 and 0 <= (i1 + i3 + 1)/2*2 + i5 - 2: s1 = 1 from 0; s2 = select(and(s1, (s2 >= arg0[(i0 + i2 + 1)/2*2 + i4 - 2, (i1 + i3 + 1)/2*2 + i5 - 2])), s2, arg0[(i0 + i2 + 1)/2*2 + i4 - 2, (i1 + i3 + 1)/2*2 + i5 - 2]) from 0; s3 = select(and(s1, (s2 >= arg0[(i0 + i2 + 1)/2*2 + i4 - 2, (i1 + i3 + 1)/2*2 + i5 - 2])), s3, (0 <= i2 + i4 - 1 < 1 and 0 <= i3 + i5 - 1 < 1)) from 0) ? (s0 + arg1[(i0 + i2 + 1)/2 - 1, (i1 + i3 + 1)/2 - 1]) : s0) from 0
        result0[i0, i1] = f0
    loops 0/2:4, 0:2 cut 1, 1/2:4 lanes, 1:2 cut 1
