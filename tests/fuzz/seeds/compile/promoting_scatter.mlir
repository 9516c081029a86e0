// A scatter whose result is wider than its operands.
func.func @main(%x: tensor<7x5x3xf32>, %at: tensor<4x2xi32>, %new: tensor<4x3xf32>) -> tensor<7x5x3xf64> {
  %y = "stablehlo.scatter"(%x, %at, %new) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %m = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %m : tensor<f64>
  }) : (tensor<7x5x3xf32>, tensor<4x2xi32>, tensor<4x3xf32>) -> tensor<7x5x3xf64>
  return %y : tensor<7x5x3xf64>
}
