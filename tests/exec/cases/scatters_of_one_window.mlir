// One place: inside, at the end, beyond it and before the start; by rows, elements and windows.
func.func @main(%x: tensor<8x4xf32>, %row: tensor<4xf32>, %one: tensor<f32>, %part: tensor<3x2xf32>, %n: tensor<8x4xi8>, %m: tensor<1x1x2xi8>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi8>) {
  %c7 = stablehlo.constant dense<7> : tensor<1xi32>
  %c8 = stablehlo.constant dense<8> : tensor<1xi32>
  %below = stablehlo.constant dense<-1> : tensor<1xi32>
  %pair = stablehlo.constant dense<[3, 5]> : tensor<2xi64>
  %narrow = stablehlo.constant dense<2> : tensor<ui8>
  %middle = stablehlo.constant dense<[[[1, 6]]]> : tensor<1x1x2xi8>
  %0 = "stablehlo.scatter"(%x, %c7, %row) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = "stablehlo.scatter"(%x, %c8, %row) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<8x4xf32>
  %2 = "stablehlo.scatter"(%x, %below, %row) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<8x4xf32>
  %3 = "stablehlo.scatter"(%x, %pair, %one) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<8x4xf32>
  %4 = "stablehlo.scatter"(%x, %narrow, %part) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<ui8>, tensor<3x2xf32>) -> tensor<8x4xf32>
  %5 = "stablehlo.scatter"(%n, %middle, %m) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.multiply %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<8x4xi8>, tensor<1x1x2xi8>, tensor<1x1x2xi8>) -> tensor<8x4xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xi8>
}
