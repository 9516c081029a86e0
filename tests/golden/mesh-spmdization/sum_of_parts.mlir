// RUN: --mesh-spmdization
// What outs holds counts once; the parts are summed up.
mesh.mesh @g(shape = 3)
func.func @main(%x: tensor<4x6xi8>, %w: tensor<6x8xi8>, %z: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %x1 = mesh.shard %x to <@g, [[], [0]]> : tensor<4x6xi8>
  %x2 = mesh.shard %x1 to <@g, [[], [0]]> annotate_for_users : tensor<4x6xi8>
  %w1 = mesh.shard %w to <@g, [[0]]> : tensor<6x8xi8>
  %w2 = mesh.shard %w1 to <@g, [[0]]> annotate_for_users : tensor<6x8xi8>
  %z1 = mesh.shard %z to <@g, [[]]> : tensor<4x8xi8>
  %z2 = mesh.shard %z1 to <@g, [[]]> annotate_for_users : tensor<4x8xi8>
  %r = linalg.matmul ins(%x2, %w2 : tensor<4x6xi8>, tensor<6x8xi8>) outs(%z2 : tensor<4x8xi8>) -> tensor<4x8xi8>
  %r1 = mesh.shard %r to <@g, [[]]> : tensor<4x8xi8>
  return %r1 : tensor<4x8xi8>
}
// ---- expect
module {
  shard.grid @g(shape = 3)
  func.func @main(%arg0: tensor<4x2xi8>, %arg1: tensor<2x8xi8>, %arg2: tensor<4x8xi8>) -> tensor<4x8xi8> {
    %0 = arith.constant 0 : i8
    %1 = shard.process_multi_index on @g axes = [0] : index
    %2 = shard.grid_shape @g axes = [0] : index
    %3 = arith.constant 0 : index
    %4 = arith.cmpi eq, %1, %3 : index
    %5 = scf.if %4 -> (tensor<4x8xi8>) {
      scf.yield %arg2 : tensor<4x8xi8>
    } else {
      %8 = tensor.empty() : tensor<4x8xi8>
      %9 = linalg.fill ins(%0 : i8) outs(%8 : tensor<4x8xi8>) -> tensor<4x8xi8>
      scf.yield %9 : tensor<4x8xi8>
    }
    %6 = linalg.matmul ins(%arg0, %arg1 : tensor<4x2xi8>, tensor<2x8xi8>) outs(%5 : tensor<4x8xi8>) -> tensor<4x8xi8>
    %7 = shard.all_reduce %6 on @g grid_axes = [0] : tensor<4x8xi8> -> tensor<4x8xi8>
    return %7 : tensor<4x8xi8>
  }
}
