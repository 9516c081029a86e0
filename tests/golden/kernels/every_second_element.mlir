// RUN: shardc --print-after=kernels
// Even and odd elements are read of the whole array, side by side; parts of rows are arrays of their own. Sums over several dimensions run in the order of the larger operand's memory.
module {
  func.func public @main(%x: tensor<64x128xbf16>, %c: tensor<64x64xbf16>, %a: tensor<32x16x24xf32>, %w: tensor<24x16x8xf32>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<32x8xf32>) {
    %0 = stablehlo.slice %x [0:64, 0:128:2] : (tensor<64x128xbf16>) -> tensor<64x64xbf16>
    %1 = stablehlo.slice %x [0:64, 1:128:2] : (tensor<64x128xbf16>) -> tensor<64x64xbf16>
    %2 = stablehlo.multiply %1, %c : tensor<64x64xbf16>
    %3 = stablehlo.add %0, %2 : tensor<64x64xbf16>
    %4 = stablehlo.slice %x [0:64, 64:128] : (tensor<64x128xbf16>) -> tensor<64x64xbf16>
    %5 = stablehlo.subtract %4, %c : tensor<64x64xbf16>
    %6 = stablehlo.dot_general %a, %w, contracting_dims = [2, 1] x [0, 1] : (tensor<32x16x24xf32>, tensor<24x16x8xf32>) -> tensor<32x8xf32>
    return %3, %5, %6 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<32x8xf32>
  }
}
// ---- expect
// after kernels
// 1 devices
result2[32,8]f32 = contract dot_general(arg2[32,16,24]f32, arg3[24,16,8]f32)  // kernel 0, grid 1
    dot_general
result0[64,64]bf16, result1[64,64]bf16 = loop multiply+add+subtract(arg0[64,128]bf16, arg1[64,64]bf16, arg0[64,64]bf16)  // kernel 1, grid 1
    parallel i0:64
      parallel i1:64
        result0[i0, i1] = (arg0[i0, i1*2] + (arg0[i0, i1*2 + 1] * arg1[i0, i1]))
        result1[i0, i1] = (arg0[i0, i1] - arg1[i0, i1])
