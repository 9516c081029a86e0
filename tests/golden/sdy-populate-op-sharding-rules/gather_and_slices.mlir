// RUN: --sdy-populate-op-sharding-rules
// A collapsed dim is a reduction (an all-reduce of masked rows), offset dims pass through; a dynamic slice of a dim blocks it.
func.func @main(%arg0: tensor<32x8xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<i32>) -> (tensor<4x8xf32>, tensor<1x8xf32>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %1 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 8] : (tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<1x8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<32x8xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<i32>) -> (tensor<4x8xf32>, tensor<1x8xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l])->([i, j]) {i=4, j=8, k=32, l=1} reduction={k} need_replication={l}>} : (tensor<32x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
    %1 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 8] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=32, j=8} need_replication={i} blocked_propagation={i}>} : (tensor<32x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    return %0, %1 : tensor<4x8xf32>, tensor<1x8xf32>
  }
}
