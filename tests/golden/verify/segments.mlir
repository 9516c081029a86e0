// RUN: not --symbol-dce
// Operands of variable number: at least those that an op cannot do without, and as many as their segments say.
func.func @too_few(%a: tensor<2xf32>) {
  "tensor.insert_slice"(%a) {operandSegmentSizes = array<i32: 1, 1>, static_offsets = array<i64: 0>, static_sizes = array<i64: 2>, static_strides = array<i64: 1>} : (tensor<2xf32>) -> (tensor<2xf32>)
  return
}


func.func @another_sum(%a: tensor<2xf32>) {
  "tensor.extract_slice"(%a) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 2>, static_strides = array<i64: 1>} : (tensor<2xf32>) -> (tensor<2xf32>)
  return
}


func.func @of_a_product(%a: tensor<2x2xf32>) {
  "linalg.matmul"(%a, %a) {operandSegmentSizes = array<i32: 1, 1>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
// ---- expect
segments.mlir:4:3: error: 'tensor.insert_slice' op expected 2 or more operands, but found 1
    "tensor.insert_slice"(%a) {operandSegmentSizes = array<i32: 1, 1>, static_offsets = array<i64: 0>, static_sizes = array<i64: 2>, static_strides = array<i64: 1...
    ^
segments.mlir:10:3: error: 'tensor.extract_slice' op operand count (1) does not match with the total size (2) specified in attribute 'operandSegmentSizes'
    "tensor.extract_slice"(%a) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 2>, static_strides = array...
    ^
segments.mlir:16:3: error: 'linalg.matmul' op expected 3 or more operands, but found 2
    "linalg.matmul"(%a, %a) {operandSegmentSizes = array<i32: 1, 1>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ^
