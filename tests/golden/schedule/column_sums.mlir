// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<100x256xbf16>) -> tensor<256xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100x256xbf16>, tensor<bf16>) -> tensor<256xbf16>
  return %0 : tensor<256xbf16>
}
// ---- expect
// after schedule
// 1 devices
result0[256]bf16 = reduce reduce(arg0[100,256]bf16)  // kernel 0, grid 1
    parallel i0:256
      fold f0 = add over i1:100 of f32(arg0[i1, i0]) from f32(0)
      result0[i0] = f0:bf16
    loops 0:256 lanes, fold by columns, step by step
