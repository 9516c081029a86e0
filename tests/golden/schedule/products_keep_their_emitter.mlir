// RUN: shardc --print-after=schedule
func.func @main(%a: tensor<32x64xbf16>, %b: tensor<64x32xf32>, %c: tensor<32xf32>) -> tensor<32x32xf32> {
  %0 = stablehlo.convert %a : (tensor<32x64xbf16>) -> tensor<32x64xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  %2 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
  %3 = stablehlo.add %1, %2 : tensor<32x32xf32>
  return %3 : tensor<32x32xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[32,32]f32 = contract convert+dot_general+add with epilogue(arg0[32,64]bf16, arg1[64,32]f32, arg2[32]f32)  // kernel 0, grid 1
    s0 = dot_general
      operand 0[i0, i1] = f32(arg0[i0, i1])
    parallel i2:32
      parallel i3:32
        result0[i2, i3] = (s0 + arg2[i3])
