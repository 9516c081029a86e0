// RUN: --sdy-explicit-gather-scatter-batching
// x[arange(4)[:, None], columns] as JAX writes it: the rows that count along become a batching dimension.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<4x3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x3xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<4xi32>
  %n = stablehlo.constant dense<4> : tensor<4xi32>
  %1 = stablehlo.compare LT, %0, %z : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %2 = stablehlo.add %0, %n : tensor<4xi32>
  %3 = stablehlo.select %1, %2, %0 : tensor<4xi1>, tensor<4xi32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xi32>) -> tensor<4x3x1xi32>
  %i = stablehlo.concatenate %4, %c, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// A row index that does not count along stays an index.
func.func @not_counting(%x: tensor<4x8xf32>, %r: tensor<4x1xi32>, %c: tensor<4x1xi32>) -> tensor<4xf32> {
  %i = stablehlo.concatenate %r, %c, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @scatter(%x: tensor<6x4xi32>, %c: tensor<4x1xi32>, %u: tensor<4xi32>) -> tensor<6x4xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %c, %0, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6x4xi32>, tensor<4x2xi32>, tensor<4xi32>) -> tensor<6x4xi32>
  return %r : tensor<6x4xi32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<4xi32>
    %c_0 = stablehlo.constant dense<4> : tensor<4xi32>
    %1 = stablehlo.compare LT, %0, %c : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %2 = stablehlo.add %0, %c_0 : tensor<4xi32>
    %3 = stablehlo.select %1, %2, %0 : tensor<4xi1>, tensor<4xi32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xi32>) -> tensor<4x3x1xi32>
    %5 = stablehlo.concatenate %4, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %6 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
  func.func @not_counting(%arg0: tensor<4x8xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x1xi32>) -> tensor<4xf32> {
    %0 = stablehlo.concatenate %arg1, %arg2, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @scatter(%arg0: tensor<6x4xi32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4xi32>) -> tensor<6x4xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x1xi32>
    %1 = stablehlo.concatenate %arg1, %0, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %2 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %3 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<6x4xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<6x4xi32>
    return %2 : tensor<6x4xi32>
  }
}
