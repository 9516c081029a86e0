// RUN: --shardc-import-sources
// A grid is a mesh, shard.shard a constraint; a fill of zeros needs no sum.
shard.grid @grid(shape = 2x4)
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %s = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<8x16xf32>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = linalg.matmul ins(%xs, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %t = tosa.tanh %r : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %t : tensor<8x32xf32>
}
// ---- expect
module {
  sdy.mesh @grid = <["axis_0"=2, "axis_1"=4]>
  func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>) -> tensor<8x32xf32> {
    %0 = sdy.sharding_constraint %arg0 <@grid, [{"axis_0"}, {"axis_1"}]> : tensor<8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %2 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %3 = stablehlo.tanh %2 : tensor<8x32xf32>
    return %3 : tensor<8x32xf32>
  }
}
