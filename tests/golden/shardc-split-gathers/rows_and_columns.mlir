// RUN: --shardc-split-gathers
// Rows gathered along the last dimension are two dimensions, of the result as well; so are short runs of k's, for both operands. Long runs of k's, and what is gathered along another dimension, stay.
func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x16xf32>, %w: tensor<128x16xf32>, %z: tensor<64x512xf32>, %v: tensor<2048x16xf32>) -> (tensor<128x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<256x16xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x32xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [0] x [0] : (tensor<64x128xf32>, tensor<64x16xf32>) -> tensor<128x16xf32>
  %2 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x16xf32>) -> tensor<64x16xf32>
  %3 = "stablehlo.all_gather"(%z) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x512xf32>) -> tensor<64x2048xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<64x2048xf32>, tensor<2048x16xf32>) -> tensor<64x16xf32>
  %5 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x16xf32>) -> tensor<256x16xf32>
  %6 = stablehlo.slice %w [0:16, 0:16] : (tensor<128x16xf32>) -> tensor<16x16xf32>
  %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0] : (tensor<256x16xf32>, tensor<16x16xf32>) -> tensor<256x16xf32>
  return %1, %2, %4, %7 : tensor<128x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<256x16xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<64x32xf32>, %arg1: tensor<64x16xf32>, %arg2: tensor<128x16xf32>, %arg3: tensor<64x512xf32>, %arg4: tensor<2048x16xf32>) -> (tensor<128x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<256x16xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x32xf32>) -> tensor<64x128xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<64x32xf32>) -> tensor<64x1x32xf32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> {shardc.uncounted} : (tensor<64x1x32xf32>) -> tensor<64x4x32xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [0] x [0] : (tensor<64x4x32xf32>, tensor<64x16xf32>) -> tensor<4x32x16xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x32x16xf32>) -> tensor<128x16xf32>
    %5 = stablehlo.reshape %arg0 : (tensor<64x32xf32>) -> tensor<64x1x32xf32>
    %6 = "stablehlo.all_gather"(%5) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x1x32xf32>) -> tensor<64x4x32xf32>
    %7 = stablehlo.reshape %arg2 : (tensor<128x16xf32>) -> tensor<4x32x16xf32>
    %8 = stablehlo.dot_general %6, %7, contracting_dims = [1, 2] x [0, 1] : (tensor<64x4x32xf32>, tensor<4x32x16xf32>) -> tensor<64x16xf32>
    %9 = "stablehlo.all_gather"(%arg3) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x512xf32>) -> tensor<64x2048xf32>
    %10 = stablehlo.dot_general %9, %arg4, contracting_dims = [1] x [0] : (tensor<64x2048xf32>, tensor<2048x16xf32>) -> tensor<64x16xf32>
    %11 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<64x16xf32>) -> tensor<256x16xf32>
    %12 = stablehlo.slice %arg2 [0:16, 0:16] : (tensor<128x16xf32>) -> tensor<16x16xf32>
    %13 = stablehlo.dot_general %11, %12, contracting_dims = [1] x [0] : (tensor<256x16xf32>, tensor<16x16xf32>) -> tensor<256x16xf32>
    return %4, %8, %10, %13 : tensor<128x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<256x16xf32>
  }
}
