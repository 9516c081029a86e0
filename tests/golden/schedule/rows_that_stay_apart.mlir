// RUN: shardc --custom=look --print-after=schedule
// Kernels that make no blocks of rows: a sum down the columns of scores, and what is made with it, needs all rows; a product behind a call of the caller's function may not pass it.
func.func @main(%q: tensor<8x256x16xf32>, %k: tensor<8x128x16xf32>, %p: tensor<8x256x16xf32>) -> (tensor<8x256x16xf32>, tensor<8x256x16xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x256x16xf32>, tensor<8x128x16xf32>) -> tensor<8x256x128xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x256x128xf32>, tensor<f32>) -> tensor<8x128xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<8x128xf32>) -> tensor<8x256x128xf32>
  %3 = stablehlo.divide %0, %2 : tensor<8x256x128xf32>
  %4 = stablehlo.dot_general %3, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x256x128xf32>, tensor<8x128x16xf32>) -> tensor<8x256x16xf32>
  %5 = stablehlo.dot_general %p, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x256x16xf32>, tensor<8x128x16xf32>) -> tensor<8x256x128xf32>
  %6 = stablehlo.tanh %5 : tensor<8x256x128xf32>
  %7 = stablehlo.custom_call @look(%4) {api_version = 4 : i32, has_side_effect = true} : (tensor<8x256x16xf32>) -> tensor<8xf32>
  %8 = stablehlo.dot_general %6, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x256x128xf32>, tensor<8x128x16xf32>) -> tensor<8x256x16xf32>
  return %4, %8, %7 : tensor<8x256x16xf32>, tensor<8x256x16xf32>, tensor<8xf32>
}
// ---- expect
// after schedule
// 1 devices
b6[8,256,128]f32 = contract dot_general(arg0[8,256,16]f32, arg1[8,128,16]f32)  // kernel 0, grid 8
    dot_general
b7[8,256,128]f32 = loop reduce+divide(b6[8,256,128]f32)  // kernel 1, grid 16
    parallel i0:8
      parallel i1:128
        columns i5:64 together
        local l0[16384]f32 at 0
        pass i4:256
          l0[i4*64 + i5] = b6[i0, i4, i1]
          fold f0 = add of b6[i0, i4, i1] from 0
          loops 0:256 lanes
        pass i4:256
          b7[i0, i4, i1] = (l0[i4*64 + i5] / f0)
          loops 0:256 lanes
    loops 0:8, 1:128 lanes
result0[8,256,16]f32 = contract dot_general(b7[8,256,128]f32, arg1[8,128,16]f32)  // kernel 2, grid 8
    dot_general
b8[8,256,128]f32 = contract dot_general+tanh with epilogue(arg2[8,256,16]f32, arg1[8,128,16]f32)  // kernel 3, grid 8
    s0 = dot_general
    parallel i0:8
      parallel i1:256
        parallel i2:128
          b8[i0, i1, i2] = tanh(s0)
result2[8]f32 = custom_call custom_call(result0[8,256,16]f32)  // kernel 4, grid 1
    custom_call
result1[8,256,16]f32 = contract dot_general(b8[8,256,128]f32, arg1[8,128,16]f32)  // kernel 5, grid 8
    dot_general
