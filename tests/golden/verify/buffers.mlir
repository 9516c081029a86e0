// RUN: not --symbol-dce
// Buffers, and views of them, fit.
func.func @sizes(%i: index) {
  %0 = memref.alloc(%i) : memref<4x?x?xf32>
  return
}
func.func @copy(%x: memref<4x8xf32>, %y: memref<8x4xf32>) {
  memref.copy %x, %y : memref<4x8xf32> to memref<8x4xf32>
  return
}
func.func @cast(%x: memref<4x8xf32>) {
  %0 = memref.cast %x : memref<4x8xf32> to memref<4x8xf64>
  return
}
func.func @out_of_bounds(%x: memref<4x8xf32>) {
  %0 = memref.subview %x[2, 0] [3, 8] [1, 1] : memref<4x8xf32> to memref<3x8xf32, strided<[8, 1], offset: 16>>
  return
}
func.func @layout(%x: memref<4x8xf32>) {
  %0 = memref.subview %x[1, 0] [2, 8] [1, 1] : memref<4x8xf32> to memref<2x8xf32, strided<[8, 1]>>
  return
}
func.func @reduced(%x: memref<4x8xf32>) -> memref<8xf32, strided<[1], offset: 8>> {
  %0 = memref.subview %x[1, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  return %0 : memref<8xf32, strided<[1], offset: 8>>
}
func.func @numbers(%x: memref<4x8xf32>, %i: index) {
  %0 = "memref.subview"(%x, %i) <{static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>}> : (memref<4x8xf32>, index) -> memref<4x8xf32, strided<[8, 1]>>
  return
}
func.func @groups(%x: memref<4x8xf32>) {
  %0 = memref.collapse_shape %x [[1, 0]] : memref<4x8xf32> into memref<32xf32>
  return
}
func.func @group_size(%x: memref<4x8xf32>) {
  %0 = memref.collapse_shape %x [[0, 1]] : memref<4x8xf32> into memref<31xf32>
  return
}
func.func @to_buffer(%x: tensor<4xf32>) {
  %0 = bufferization.to_buffer %x : tensor<4xf32> to memref<5xf32>
  return
}
func.func @no_tensor(%x: memref<4xf32>) {
  %0 = bufferization.to_tensor %x : memref<4xf32> to memref<4xf32>
  return
}
func.func @index(%x: memref<4xf32>, %i: i64) {
  %0 = "memref.dim"(%x, %i) : (memref<4xf32>, i64) -> index
  return
}
// ---- expect
buffers.mlir:4:8: error: 'memref.alloc' op dimension operand count does not equal memref dynamic dimension count
    %0 = memref.alloc(%i) : memref<4x?x?xf32>
         ^
buffers.mlir:8:3: error: 'memref.copy' op 'memref<4x8xf32>' and 'memref<8x4xf32>' differ in shape or element type
    memref.copy %x, %y : memref<4x8xf32> to memref<8x4xf32>
    ^
buffers.mlir:12:8: error: 'memref.cast' op 'memref<4x8xf32>' and 'memref<4x8xf64>' differ in shape or element type
    %0 = memref.cast %x : memref<4x8xf32> to memref<4x8xf64>
         ^
buffers.mlir:16:8: error: 'memref.subview' op dimension 0 runs out of bounds
    %0 = memref.subview %x[2, 0] [3, 8] [1, 1] : memref<4x8xf32> to memref<3x8xf32, strided<[8, 1], offset: 16>>
         ^
buffers.mlir:20:8: error: 'memref.subview' op expected result type to be 'memref<2x8xf32, strided<[8, 1], offset: 8>>' or a rank-reduced version of it
    %0 = memref.subview %x[1, 0] [2, 8] [1, 1] : memref<4x8xf32> to memref<2x8xf32, strided<[8, 1]>>
         ^
buffers.mlir:28:8: error: 'memref.subview' op expected 0 operands for the numbers that are not written, but found 1
    %0 = "memref.subview"(%x, %i) <{static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>}> : (memref<4x8xf32>, in...
         ^
buffers.mlir:32:8: error: 'memref.collapse_shape' op expected groups of neighbouring dimensions
    %0 = memref.collapse_shape %x [[1, 0]] : memref<4x8xf32> into memref<32xf32>
         ^
buffers.mlir:36:8: error: 'memref.collapse_shape' op expected dimension 0 to be of size 32
    %0 = memref.collapse_shape %x [[0, 1]] : memref<4x8xf32> into memref<31xf32>
         ^
buffers.mlir:40:8: error: 'bufferization.to_buffer' op 'tensor<4xf32>' and 'memref<5xf32>' differ in shape or element type
    %0 = bufferization.to_buffer %x : tensor<4xf32> to memref<5xf32>
         ^
buffers.mlir:44:8: error: 'bufferization.to_tensor' op result #0 must be a tensor, but got 'memref<4xf32>'
    %0 = bufferization.to_tensor %x : memref<4xf32> to memref<4xf32>
         ^
buffers.mlir:48:8: error: 'memref.dim' op operand #1 must be an index, but got 'i64'
    %0 = "memref.dim"(%x, %i) : (memref<4xf32>, i64) -> index
         ^
