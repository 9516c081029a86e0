// RUN: shardc --print-after=schedule
// Long columns: a block that fits into half of the second-level cache (of 1 MB here) is taken before a wider one beyond it, if it is a pair of lines wide; where no
// pair fits, the block lies beyond it.
func.func @main(%x: tensor<4096x1024xf32>, %y: tensor<8192x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %xm = stablehlo.reduce(%x init: %l) applies stablehlo.maximum across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %xb = stablehlo.broadcast_in_dim %xm, dims = [1] : (tensor<1024xf32>) -> tensor<4096x1024xf32>
  %xd = stablehlo.subtract %x, %xb : tensor<4096x1024xf32>
  %xe = stablehlo.exponential %xd : tensor<4096x1024xf32>
  %xs = stablehlo.reduce(%xe init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %ym = stablehlo.reduce(%y init: %l) applies stablehlo.maximum across dimensions = [0] : (tensor<8192x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %yb = stablehlo.broadcast_in_dim %ym, dims = [1] : (tensor<1024xf32>) -> tensor<8192x1024xf32>
  %yd = stablehlo.subtract %y, %yb : tensor<8192x1024xf32>
  %ye = stablehlo.exponential %yd : tensor<8192x1024xf32>
  %ys = stablehlo.reduce(%ye init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8192x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %xs, %ys : tensor<1024xf32>, tensor<1024xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[1024]f32 = reduce reduce+subtract+exponential(arg0[4096,1024]f32)  // kernel 0, grid 32
    parallel i0:1024
      columns i4:32 together
      local l0[131072]f32 at 0
      pass i3:4096
        l0[i3*32 + i4] = arg0[i3, i0]
        fold f0 = maximum of arg0[i3, i0] from -inf
        loops 0:4096 lanes
      pass i3:4096
        fold f1 = add of exponential((l0[i3*32 + i4] - f0)) from 0
        loops 0:4096 lanes
      result0[i0] = f1
    loops 0:1024 lanes
result1[1024]f32 = reduce reduce+subtract+exponential(arg1[8192,1024]f32)  // kernel 1, grid 32
    parallel i0:1024
      columns i4:32 together
      local l0[262144]f32 at 0
      pass i3:8192
        l0[i3*32 + i4] = arg1[i3, i0]
        fold f0 = maximum of arg1[i3, i0] from -inf
        loops 0:8192 lanes
      pass i3:8192
        fold f1 = add of exponential((l0[i3*32 + i4] - f0)) from 0
        loops 0:8192 lanes
      result1[i0] = f1
    loops 0:1024 lanes
