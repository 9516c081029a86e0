// RUN: shardc --print-after=schedule
// Scores that the caller gets are stored, and the row's part reads them there; what reads a part's result comes behind the blocks, what they need of others before.
func.func @main(%q: tensor<8x256x16xf32>, %k: tensor<8x128x16xf32>, %b: tensor<8x256x4xf32>) -> (tensor<8x256x128xf32>, tensor<8x256x16xf32>, tensor<8x16xf32>, tensor<8x128x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x256x16xf32>, tensor<8x128x16xf32>) -> tensor<8x256x128xf32>
  %1 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<8x256x128xf32>, tensor<f32>) -> tensor<8x256xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x128xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<8x256x128xf32>
  %4 = stablehlo.exponential %3 : tensor<8x256x128xf32>
  %5 = stablehlo.dot_general %4, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x256x128xf32>, tensor<8x128x16xf32>) -> tensor<8x256x16xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x256x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %7 = "stablehlo.sort"(%b) <{dimension = 2 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<8x256x4xf32>) -> tensor<8x256x4xf32>
  %8 = stablehlo.pad %7, %zero, low = [0, 0, 0], high = [0, 0, 12], interior = [0, 0, 0] : (tensor<8x256x4xf32>, tensor<f32>) -> tensor<8x256x16xf32>
  %9 = stablehlo.dot_general %4, %8, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<8x256x128xf32>, tensor<8x256x16xf32>) -> tensor<8x128x16xf32>
  return %0, %5, %6, %9 : tensor<8x256x128xf32>, tensor<8x256x16xf32>, tensor<8x16xf32>, tensor<8x128x16xf32>
}
// ---- expect
// after schedule
// 1 devices
b8[8,256,4]f32 = sort sort(arg2[8,256,4]f32)  // kernel 4, grid 8
    sort
result0[8,256,128]f32, result1[8,256,16]f32, result3[8,128,16]f32 = blocks dot_general+3 more(arg0[8,256,16]f32, arg1[8,128,16]f32, b8[8,256,4]f32)  // kernel 6, grid 8
    for 8 x 2 blocks of 128 rows
      result0[8,256,128]f32 = contract dot_general(arg0[8,256,16]f32, arg1[8,128,16]f32)  // kernel 0, grid 16
          dot_general
      block7[8,256,128]f32 = loop reduce+subtract+exponential(result0[8,256,128]f32)  // kernel 1, grid 16
          parallel i0:8
            parallel i1:256
              pass i4:128
                fold f0 = maximum of result0[i0, i1, i4] from -inf
                loops 0:128 lanes
              pass i4:128
                block7[i0, i1, i4] = exponential((result0[i0, i1, i4] - f0))
                loops 0:128 lanes
          loops 0*1:2048
      result1[8,256,16]f32 = contract dot_general(block7[8,256,128]f32, arg1[8,128,16]f32)  // kernel 2, grid 16
          dot_general
      sum of result3[8,128,16]f32 = contract dot_general(block7[8,256,128]f32, b8[8,256,4]f32)  // kernel 5, grid 16
          dot_general
            operand 1[i0, i1, i2] = (i2 < 4 ? b8[i0, i1, i2] : 0)
result2[8,16]f32 = reduce reduce(result1[8,256,16]f32)  // kernel 3, grid 16
    parallel i0:8
      parallel i1:16
        fold f0 = add over i2:256 of result1[i0, i2, i1] from 0
        result2[i0, i1] = f0
    loops 0:8, 1:16 lanes, fold by columns
