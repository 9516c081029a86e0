// RUN: shardc --print-after=schedule
// Windows with a stride of two over 65 places: 33 times two, of which the last one does not exist; pieces have no branch left inside. The same for zeros between elements.
module {
  func.func public @main(%a: tensor<65x64xf32>, %g: tensor<32x64xf32>, %b: tensor<20x32xf32>) -> (tensor<65x64xf32>, tensor<39x32xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%a, %g, %z) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>} : (tensor<65x64xf32>, tensor<32x64xf32>, tensor<f32>) -> tensor<65x64xf32>
    %1 = stablehlo.pad %b, %z, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<20x32xf32>, tensor<f32>) -> tensor<39x32xf32>
    return %0, %1 : tensor<65x64xf32>, tensor<39x32xf32>
  }
}
// ---- expect
// after schedule
// 1 devices
result0[65,64]f32 = select_and_scatter select_and_scatter(arg0[65,64]f32, arg1[32,64]f32)  // kernel 0, grid 20
    parallel i0:65
      parallel i1:64
        fold f0 = over i2:3, i3:1 where (i0 + i2)%2 < 1 and 0 <= (i0 + i2)/2 - 1 < 32: s0 = ((fold over i4:3, i5:1 where 0 <= (i0 + i2)/2*2 + i4 - 2 < 65: s1 = 1 from 0; s2 = select(and(s1, (s2 >= arg0[(i0 + i2)/2*2 + i4 - 2, i1])), s2, arg0[(i0 + i2)/2*2 + i4 - 2, i1]) from 0; s3 = select(and(s1, (s2 >= arg0[(i0 + i2)/2*2 + i4 - 2, i1])), s3, (0 <= i2 + i4 - 2 < 1)) from 0) ? (s0 + arg1[(i0 + i2)/2 - 1, i1]) : s0) from 0
        result0[i0, i1] = f0
    loops 0/2:33 cut 1 32, 0:2 cut 1, 1:64 lanes
result1[39,32]f32 = loop pad(arg2[20,32]f32)  // kernel 1, grid 1
    parallel i0:39
      parallel i1:32
        result1[i0, i1] = (i0%2 < 1 ? arg2[i0/2, i1] : 0)
    loops 0/2:20 cut 19, 0:2 cut 1, 1:32 lanes
