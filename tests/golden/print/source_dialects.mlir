// RUN:
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
// ---- expect
module {
  func.func @structured(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x3x8xf32>) {
    %0 = linalg.reduce ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<4xf32>) dimensions = [1] (%arg2: f32, %arg3: f32) {
      %6 = arith.addf %arg3, %arg2 : f32
      linalg.yield %6 : f32
    }
    %1 = tensor.empty() : tensor<8x4xf32>
    %2 = linalg.transpose ins(%arg0 : tensor<4x8xf32>) outs(%1 : tensor<8x4xf32>) permutation = [1, 0]
    %3 = linalg.map ins(%arg0 : tensor<4x8xf32>) outs(%arg0 : tensor<4x8xf32>) (%arg2: f32) {
      %6 = math.exp %arg2 : f32
      linalg.yield %6 : f32
    }
    %4 = tensor.empty() : tensor<4x3x8xf32>
    %5 = linalg.broadcast ins(%arg0 : tensor<4x8xf32>) outs(%4 : tensor<4x3x8xf32>) dimensions = [1]
    return %0, %2, %3, %5 : tensor<4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x3x8xf32>
  }
  func.func @tensors(%arg0: tensor<4x8xf32>, %arg1: index) -> tensor<?x2xf32> {
    %0 = arith.constant 1 : index
    %1 = tensor.dim %arg0, %0 : tensor<4x8xf32>
    %2 = arith.cmpi slt, %arg1, %1 : index
    %3 = arith.select %2, %arg1, %1 : index
    %4 = tensor.extract_slice %arg0[%3, 0] [2, 4] [1, 2] : tensor<4x8xf32> to tensor<2x4xf32>
    %5 = tensor.insert_slice %4 into %arg0[0, %arg1] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x8xf32>
    %6 = tensor.collapse_shape %5 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    %7 = tensor.expand_shape %6 [[0, 1]] output_shape [16, 2] : tensor<32xf32> into tensor<16x2xf32>
    %8 = arith.constant 5.000000e-01 : f32
    %9 = tensor.pad %7 low[1, 0] high[%arg1, 0] {
    ^bb0(%arg2: index, %arg3: index):
      tensor.yield %8 : f32
    } : tensor<16x2xf32> to tensor<?x2xf32>
    return %9 : tensor<?x2xf32>
  }
}
