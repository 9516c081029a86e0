// Source dialects: what is read is printed so that it reads back.
func.func @structured(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x3x8xf32>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%y : tensor<4xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<8x4xf32>
  %1 = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %2 = linalg.map { math.exp } ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
  %f = tensor.empty() : tensor<4x3x8xf32>
  %3 = linalg.broadcast ins(%x : tensor<4x8xf32>) outs(%f : tensor<4x3x8xf32>) dimensions = [1]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x3x8xf32>
}
func.func @tensors(%x: tensor<4x8xf32>, %i: index) -> tensor<?x2xf32> {
  %c = arith.constant 1 : index
  %d = tensor.dim %x, %c : tensor<4x8xf32>
  %p = arith.cmpi slt, %i, %d : index
  %n = arith.select %p, %i, %d : index
  %0 = tensor.extract_slice %x[%n, 0] [2, 4] [1, 2] : tensor<4x8xf32> to tensor<2x4xf32>
  %1 = tensor.insert_slice %0 into %x[0, %i] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x8xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [16, 2] : tensor<32xf32> into tensor<16x2xf32>
  %z = arith.constant 0.5 : f32
  %4 = tensor.pad %3 low[1, 0] high[%i, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : f32
  } : tensor<16x2xf32> to tensor<?x2xf32>
  return %4 : tensor<?x2xf32>
}
