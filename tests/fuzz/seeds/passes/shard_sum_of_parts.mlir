// RUN: --shard-partition
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
