// Short last dimensions, and products of small matrices.
// tolerance: 1e-4
func.func @main(%x: tensor<9x501x3xf32>, %y: tensor<700x3xf32>, %w: tensor<3x4xf32>, %p: tensor<2x5x70x2xf32>, %q: tensor<6x2x70x2xf32>, %u: tensor<333x3xui8>, %s: tensor<700xf32>, %n: tensor<130x7xbf16>, %m: tensor<7x5xbf16>)
    -> (tensor<9x501x3xf32>, tensor<700x4xf32>, tensor<70x5x6xf32>, tensor<333x3xui8>, tensor<700x3xf32>, tensor<700x4xf32>, tensor<130x5xbf16>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<9x501x3xf32>
  %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<700x3xf32>, tensor<3x4xf32>) -> tensor<700x4xf32>
  %2 = stablehlo.dot_general %p, %q, batching_dims = [2] x [2], contracting_dims = [0, 3] x [3, 1] : (tensor<2x5x70x2xf32>, tensor<6x2x70x2xf32>) -> tensor<70x5x6xf32>
  %3 = stablehlo.reverse %u, dims = [1] : tensor<333x3xui8>
  %s0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<700xf32>) -> tensor<700x3xf32>
  %4 = stablehlo.multiply %y, %s0 : tensor<700x3xf32>
  %s1 = stablehlo.reshape %s : (tensor<700xf32>) -> tensor<700x1xf32>
  %5 = stablehlo.concatenate %s1, %y, dim = 1 : (tensor<700x1xf32>, tensor<700x3xf32>) -> tensor<700x4xf32>
  %6 = stablehlo.dot_general %n, %m, contracting_dims = [1] x [0] : (tensor<130x7xbf16>, tensor<7x5xbf16>) -> tensor<130x5xbf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<9x501x3xf32>, tensor<700x4xf32>, tensor<70x5x6xf32>, tensor<333x3xui8>, tensor<700x3xf32>, tensor<700x4xf32>, tensor<130x5xbf16>
}
