// RUN: not --emit-hlo
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- expect
refused.mlir:3:8: error: 'chlo.erf_inv' op has no opcode in HLO
    %0 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
         ^
