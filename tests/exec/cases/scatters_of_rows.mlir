// Rows of 40 elements, which lanes share by the row that they go to; the same row many times, rows that do not exist, an index of two numbers.
// tolerance: 1e-5
func.func @main(%x: tensor<50x40xf32>, %i: tensor<300x1xi32>, %u: tensor<300x40xf32>, %y: tensor<20x6x33xi32>, %j: tensor<70x2xi32>, %v: tensor<70x33xi32>) -> (tensor<50x40xf32>, tensor<20x6x33xi32>) {
  %c = stablehlo.constant dense<9> : tensor<300x1xi32>
  %k = stablehlo.multiply %i, %c : tensor<300x1xi32>
  %0 = "stablehlo.scatter"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<50x40xf32>, tensor<300x1xi32>, tensor<300x40xf32>) -> tensor<50x40xf32>
  %1 = "stablehlo.scatter"(%y, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<20x6x33xi32>, tensor<70x2xi32>, tensor<70x33xi32>) -> tensor<20x6x33xi32>
  return %0, %1 : tensor<50x40xf32>, tensor<20x6x33xi32>
}
