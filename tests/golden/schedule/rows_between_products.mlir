// RUN: shardc --print-after=schedule
// Products, a softmax and its gradient between them: block by block of their rows, whose scores are never an array. What is contracted over the rows is summed over the blocks.
func.func @main(%q: tensor<2x4x256x16xf32>, %k: tensor<2x4x128x16xf32>, %v: tensor<2x4x128x16xf32>, %g: tensor<2x4x256x16xf32>) -> (tensor<2x4x256x16xf32>, tensor<2x4x128x16xf32>, tensor<2x4x128x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %raw = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x256x16xf32>, tensor<2x4x128x16xf32>) -> tensor<2x4x256x128xf32>
  %scale = stablehlo.constant dense<16.0> : tensor<2x4x256x128xf32>
  %scaled = stablehlo.multiply %raw, %scale : tensor<2x4x256x128xf32>
  %far = stablehlo.constant dense<-1.0e30> : tensor<2x4x256x128xf32>
  %i = stablehlo.iota dim = 2 : tensor<2x4x256x128xi32>
  %j = stablehlo.iota dim = 3 : tensor<2x4x256x128xi32>
  %mask = stablehlo.compare GE, %i, %j : (tensor<2x4x256x128xi32>, tensor<2x4x256x128xi32>) -> tensor<2x4x256x128xi1>
  %score = stablehlo.select %mask, %scaled, %far : tensor<2x4x256x128xi1>, tensor<2x4x256x128xf32>
  %max = stablehlo.reduce(%score init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x256x128xf32>, tensor<f32>) -> tensor<2x4x256xf32>
  %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<2x4x256xf32>) -> tensor<2x4x256x128xf32>
  %shifted = stablehlo.subtract %score, %maxb : tensor<2x4x256x128xf32>
  %exp = stablehlo.exponential %shifted : tensor<2x4x256x128xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x256x128xf32>, tensor<f32>) -> tensor<2x4x256xf32>
  %sumb = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<2x4x256xf32>) -> tensor<2x4x256x128xf32>
  %p = stablehlo.divide %exp, %sumb : tensor<2x4x256x128xf32>
  %many = stablehlo.constant dense<64.0> : tensor<2x4x256x16xf32>
  %large = stablehlo.multiply %g, %many : tensor<2x4x256x16xf32>
  %dp = stablehlo.dot_general %large, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x256x16xf32>, tensor<2x4x128x16xf32>) -> tensor<2x4x256x128xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<2x4x256x128xf32>
  %row = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x256x128xf32>, tensor<f32>) -> tensor<2x4x256xf32>
  %rowb = stablehlo.broadcast_in_dim %row, dims = [0, 1, 2] : (tensor<2x4x256xf32>) -> tensor<2x4x256x128xf32>
  %less = stablehlo.subtract %dp, %rowb : tensor<2x4x256x128xf32>
  %ds = stablehlo.multiply %p, %less : tensor<2x4x256x128xf32>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x256x128xf32>, tensor<2x4x128x16xf32>) -> tensor<2x4x256x16xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x4x256x128xf32>, tensor<2x4x256x16xf32>) -> tensor<2x4x128x16xf32>
  %dv = stablehlo.dot_general %p, %large, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x4x256x128xf32>, tensor<2x4x256x16xf32>) -> tensor<2x4x128x16xf32>
  return %dq, %dk, %dv : tensor<2x4x256x16xf32>, tensor<2x4x128x16xf32>, tensor<2x4x128x16xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[2,4,256,16]f32, result1[2,4,128,16]f32, result2[2,4,128,16]f32 = blocks dot_general+6 more(arg0[2,4,256,16]f32, arg1[2,4,128,16]f32, arg3[2,4,256,16]f32, arg2[2,4,128,16]f32)  // kernel 7, grid 8
    for 8 x 2 blocks of 128 rows
      block7[2,4,256,128]f32 = contract dot_general(arg0[2,4,256,16]f32, arg1[2,4,128,16]f32)  // kernel 0, grid 16
          dot_general
      block8[2,4,256,128]f32 = loop multiply+compare+select+reduce+subtract+exponential(block7[2,4,256,128]f32)  // kernel 1, grid 16
          parallel i0:2
            parallel i1:4
              parallel i2:256
                local l0[128]f32 at 0
                pass i6:128
                  fold f0 = maximum of select((i32(i2) >= i32(i6)), (block7[i0, i1, i2, i6] * 16), -1e+30) from -inf
                  loops 0:128 lanes
                pass i6:128
                  x0 = exponential((select((i32(i2) >= i32(i6)), (block7[i0, i1, i2, i6] * 16), -1e+30) - f0))
                  l0[i6] = x0
                  fold f1 = add of x0 from 0
                  loops 0:128 lanes
                pass i6:128
                  block8[i0, i1, i2, i6] = (l0[i6] / f1)
                  loops 0:128 lanes
          loops 0*1:8, 2:256
      block9[2,4,256,128]f32 = contract multiply+dot_general(arg3[2,4,256,16]f32, arg2[2,4,128,16]f32)  // kernel 2, grid 16
          dot_general
            operand 0[i0, i1, i2, i3] = (arg3[i0, i1, i2, i3] * 64)
      block10[2,4,256,128]f32 = loop multiply+reduce+subtract(block8[2,4,256,128]f32, block9[2,4,256,128]f32)  // kernel 3, grid 16
          parallel i0:2
            parallel i1:4
              parallel i2:256
                pass i5:128
                  fold f0 = add of (block8[i0, i1, i2, i5] * block9[i0, i1, i2, i5]) from 0
                  loops 0:128 lanes
                pass i5:128
                  block10[i0, i1, i2, i5] = (block8[i0, i1, i2, i5] * (block9[i0, i1, i2, i5] - f0))
                  loops 0:128 lanes
          loops 0*1*2:2048
      result0[2,4,256,16]f32 = contract dot_general(block10[2,4,256,128]f32, arg1[2,4,128,16]f32)  // kernel 4, grid 16
          dot_general
      sum of result1[2,4,128,16]f32 = contract dot_general(block10[2,4,256,128]f32, arg0[2,4,256,16]f32)  // kernel 5, grid 16
          dot_general
      sum of result2[2,4,128,16]f32 = contract multiply+dot_general(block8[2,4,256,128]f32, arg3[2,4,256,16]f32)  // kernel 6, grid 16
          dot_general
            operand 1[i0, i1, i2, i3] = (arg3[i0, i1, i2, i3] * 64)
