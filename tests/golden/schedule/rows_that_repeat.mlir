// RUN: shardc --print-after=schedule
// The state of a recurrence, whose rows are updated with a row that is the same for all of them: it stays in the cache, so the rows are made in the order in
// which they lie, and lanes have the same parts of the state in every kernel.
module {
  func.func public @main(%s: tensor<16x64x64xf32>, %k: tensor<16x64xf32>, %v: tensor<16x64xf32>) -> tensor<16x64x64xf32> {
    %0 = stablehlo.broadcast_in_dim %k, dims = [0, 1] : (tensor<16x64xf32>) -> tensor<16x64x64xf32>
    %1 = stablehlo.broadcast_in_dim %v, dims = [0, 2] : (tensor<16x64xf32>) -> tensor<16x64x64xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<16x64x64xf32>
    %3 = stablehlo.add %s, %2 : tensor<16x64x64xf32>
    return %3 : tensor<16x64x64xf32>
  }
}
// ---- expect
// after schedule
// 1 devices
result0[16,64,64]f32 = loop multiply+add(arg0[16,64,64]f32, arg1[16,64]f32, arg2[16,64]f32)  // kernel 0, grid 64
    parallel i0:16
      parallel i1:64
        parallel i2:64
          result0[i0, i1, i2] = (arg0[i0, i1, i2] + (arg1[i0, i1] * arg2[i0, i2]))
    loops 0:16, 1:64, 2:64 lanes
