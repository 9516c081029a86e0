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
