// RUN: shardc --print-after=schedule
// The rows of the result read the same lines of memory: they are made together, along the long axis.
func.func @main(%a: tensor<100000x4xf32>) -> tensor<4x100000xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<100000x4xf32>) -> tensor<4x100000xf32>
  return %0 : tensor<4x100000xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[4,100000]f32 = loop transpose(arg0[100000,4]f32)  // kernel 0, grid 97
    parallel i0:4
      parallel i1:100000
        result0[i0, i1] = arg0[i1, i0]
    loops 0:4, 1:100000 lanes, lines shared
