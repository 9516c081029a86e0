// RUN: not --allow-unregistered-dialect
func.func @main() -> tensor<2x2xi8> {
  %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}
func.func @range() -> tensor<2xi8> {
  %0 = stablehlo.constant dense<[1, 256]> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
func.func @huge() -> tensor<i8> {
  %0 = stablehlo.constant dense<0> : tensor<9223372036854775807x2xi8>
  return %0 : tensor<i8>
}
// ---- expect
wrong_constant.mlir:3:42: error: tensor literal is invalid; ranks are not consistent between elements
    %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi8>
                                           ^
wrong_constant.mlir:7:37: error: integer constant out of range for type
    %0 = stablehlo.constant dense<[1, 256]> : tensor<2xi8>
                                      ^
wrong_constant.mlir:11:38: error: the tensor is too large: its size in bytes exceeds 64 bits
    %0 = stablehlo.constant dense<0> : tensor<9223372036854775807x2xi8>
                                       ^
