// RUN: shardc --print-after=buffers
// Kernels of one chunk run on one lane, one after the other: without a barrier between them an array's memory is free when its last reader is done.
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %arg0, contracting_dims = [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %2, %arg0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %4 = stablehlo.dot_general %3, %2, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}
// ---- expect
// after buffers
// 1 devices, arena 768 bytes, constants 0 bytes, scratch 2176 bytes
b2[8,8]f32@512 = contract dot_general(arg0[8,16]f32)  // kernel 0, grid 1, function 0
    dot_general
b3[8,16]f32@0 = reduce multiply+reduce(b2[8,8]f32@512, arg0[8,16]f32)  // kernel 1, grid 1, function 1
    parallel i0:8
      parallel i1:16
        fold f0 = add over i2:8 of (b2[i0, i2] * arg0[i2, i1]) from 0
        b3[i0, i1] = f0
    loops 0:8, 1:16 lanes
b4[8,8]f32@512 = contract dot_general(b3[8,16]f32@0, arg0[8,16]f32)  // kernel 2, grid 1, function 2
    dot_general
b5[8,16]f32@0 = reduce multiply+reduce(b4[8,8]f32@512, arg0[8,16]f32)  // kernel 3, grid 1, function 1
    parallel i0:8
      parallel i1:16
        fold f0 = add over i2:8 of (b4[i0, i2] * arg0[i2, i1]) from 0
        b5[i0, i1] = f0
    loops 0:8, 1:16 lanes
result0[16,8]f32 = reduce multiply+reduce(b5[8,16]f32@0, b4[8,8]f32@512)  // kernel 4, grid 1, function 3
    parallel i0:16
      parallel i1:8
        fold f0 = add over i2:8 of (b5[i2, i0] * b4[i2, i1]) from 0
        result0[i0, i1] = f0
    loops 0:16, 1:8 lanes
