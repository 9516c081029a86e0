// RUN: --shardc-import-sources
// Bodies compute whole tensors; reductions begin with what outs holds.
#a = affine_map<(i, j) -> (j, i)>
#b = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x8xf32>) outs(%y : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.constant 2.0 : f32
      %m = arith.mulf %in, %c : f32
      %s = arith.maximumf %m, %out : f32
      linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<8x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.maximum %arg1, %3 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
