// RUN: shardc --print-after=schedule
// A result with few columns is made along its rows' long axis: memory is read in order, and the
// columns of each vector are put side by side in registers.
func.func @main(%a: tensor<3x100000xf32>) -> tensor<100000x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x100000xf32>) -> tensor<100000x3xf32>
  return %0 : tensor<100000x3xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[100000,3]f32 = loop transpose(arg0[3,100000]f32)  // kernel 0, grid 73
    parallel i0:100000
      parallel i1:3
        result0[i0, i1] = arg0[i1, i0]
    loops 0:100000 lanes, 1:3, lines shared
