// RUN: --shardc-sum-products
// Products of which nothing is summed are elementwise, whatever their size.
func.func @main(%a: tensor<16x130xf32>, %b: tensor<16x257xf32>, %c: tensor<40xbf16>, %d: tensor<50xbf16>) -> (tensor<16x130x257xf32>, tensor<40x50xbf16>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<16x130xf32>, tensor<16x257xf32>) -> tensor<16x130x257xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [] x [] : (tensor<40xbf16>, tensor<50xbf16>) -> tensor<40x50xbf16>
  return %0, %1 : tensor<16x130x257xf32>, tensor<40x50xbf16>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<16x130xf32>, %arg1: tensor<16x257xf32>, %arg2: tensor<40xbf16>, %arg3: tensor<50xbf16>) -> (tensor<16x130x257xf32>, tensor<40x50xbf16>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<16x130xf32>) -> tensor<16x130x257xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2] : (tensor<16x257xf32>) -> tensor<16x130x257xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<16x130x257xf32>
    %3 = stablehlo.convert %arg2 : (tensor<40xbf16>) -> tensor<40xf32>
    %4 = stablehlo.convert %arg3 : (tensor<50xbf16>) -> tensor<50xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<40xf32>) -> tensor<40x50xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<50xf32>) -> tensor<40x50xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<40x50xf32>
    %8 = stablehlo.convert %7 : (tensor<40x50xf32>) -> tensor<40x50xbf16>
    return %2, %8 : tensor<16x130x257xf32>, tensor<40x50xbf16>
  }
}
