// Updates that are scattered onto zeros and added to an array, also where places repeat; scattered maxima, onto ones, and sums that somebody else reads.
// tolerance: 1e-6
func.func @main(%x: tensor<8x4xf32>, %n: tensor<5x1xi32>, %u: tensor<5x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %seven = stablehlo.constant dense<7> : tensor<5x1xi32>
  %at = stablehlo.and %n, %seven : tensor<5x1xi32>
  %zeros = stablehlo.constant dense<0.0> : tensor<8x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %more_zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<8x4xf32>
  %0 = "stablehlo.scatter"(%zeros, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %r0 = stablehlo.add %x, %0 : tensor<8x4xf32>
  %1 = "stablehlo.scatter"(%more_zeros, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %y = stablehlo.multiply %x, %x : tensor<8x4xf32>
  %r1 = stablehlo.add %1, %y : tensor<8x4xf32>
  %2 = "stablehlo.scatter"(%zeros, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %r2 = stablehlo.add %x, %2 : tensor<8x4xf32>
  %3 = "stablehlo.scatter"(%ones, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %r3 = stablehlo.add %x, %3 : tensor<8x4xf32>
  %4 = "stablehlo.scatter"(%zeros, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<8x4xf32>
  %r4 = stablehlo.add %x, %4 : tensor<8x4xf32>
  return %r0, %r1, %r2, %r3, %r4, %4 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
