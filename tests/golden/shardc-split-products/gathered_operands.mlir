// RUN: --shardc-split-products
// Products whose k's are gathered from devices stay whole: what is gathered is stored once. Gathered rows do not matter.
func.func @main(%a: tensor<64x8192xf32>, %b: tensor<65536x64xf32>, %c: tensor<16x65536xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>}> : (tensor<64x8192xf32>) -> tensor<64x65536xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<64x65536xf32>, tensor<65536x64xf32>) -> tensor<64x64xf32>
  %2 = "stablehlo.all_gather"(%c) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>}> : (tensor<16x65536xf32>) -> tensor<64x65536xf32>
  %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0] : (tensor<64x65536xf32>, tensor<65536x64xf32>) -> tensor<64x64xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<64x8192xf32>, %arg1: tensor<65536x64xf32>, %arg2: tensor<16x65536xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>}> : (tensor<64x8192xf32>) -> tensor<64x65536xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<64x65536xf32>, tensor<65536x64xf32>) -> tensor<64x64xf32>
    %2 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>}> : (tensor<16x65536xf32>) -> tensor<64x65536xf32>
    %3 = stablehlo.reshape %2 : (tensor<64x65536xf32>) -> tensor<64x32x2048xf32>
    %4 = stablehlo.reshape %arg1 : (tensor<65536x64xf32>) -> tensor<32x2048x64xf32>
    %5 = stablehlo.dot_general %3, %4, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<64x32x2048xf32>, tensor<32x2048x64xf32>) -> tensor<32x64x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32x64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
    return %1, %6 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
