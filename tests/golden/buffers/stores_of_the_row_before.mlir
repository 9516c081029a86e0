// RUN: shardc --print-after=buffers
// What is larger than the caches is stored while the next row's exponentials are computed: they read what the row before left in the local, and then overwrite it.
func.func @main(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<8192x4096xf32>, tensor<f32>) -> tensor<8192xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<8192xf32>) -> tensor<8192x4096xf32>
  %d = stablehlo.subtract %x, %mb : tensor<8192x4096xf32>
  %e = stablehlo.exponential %d : tensor<8192x4096xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8192x4096xf32>, tensor<f32>) -> tensor<8192xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8192xf32>) -> tensor<8192x4096xf32>
  %y = stablehlo.divide %e, %sb : tensor<8192x4096xf32>
  return %y : tensor<8192x4096xf32>
}
// ---- expect
// after buffers
// 1 devices, arena 0 bytes, constants 0 bytes, scratch 16384 bytes
result0[8192,4096]f32 = loop reduce+subtract+exponential+divide(arg0[8192,4096]f32)  // kernel 0, grid 8192, function 0
    parallel i0:8192
      local l0[4096]f32 at 0
      pass i4:4096
        fold f0 = maximum of arg0[i0, i4] from -inf
        loops 0:4096 lanes
      pass i4:4096
        x0 = exponential((arg0[i0, i4] - f0))
        l0[i4] = x0
        fold f1 = add of x0 from 0
        loops 0:4096 lanes
      pass i4:4096
        result0[i0, i4] = (l0[i4] / f1)
        loops 0:4096 lanes
        beside pass 2 of the next row
    loops 0:8192
