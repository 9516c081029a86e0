// An op with several tuples as results.
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>) -> tuple<tensor<4xf32>, tensor<i1>> {
  %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<4xf32>, tensor<i1>>
  %1 = stablehlo.tuple %arg1, %arg0 : tuple<tensor<i1>, tensor<4xf32>>
  %2 = stablehlo.tuple : tuple<>
  %3:4 = stablehlo.optimization_barrier %0, %1, %arg0, %2 : tuple<tensor<4xf32>, tensor<i1>>, tuple<tensor<i1>, tensor<4xf32>>, tensor<4xf32>, tuple<>
  %4 = stablehlo.get_tuple_element %3#1[1] : (tuple<tensor<i1>, tensor<4xf32>>) -> tensor<4xf32>
  %5 = stablehlo.get_tuple_element %3#0[1] : (tuple<tensor<4xf32>, tensor<i1>>) -> tensor<i1>
  %6 = stablehlo.add %4, %3#2 : tensor<4xf32>
  %7 = stablehlo.tuple %6, %5 : tuple<tensor<4xf32>, tensor<i1>>
  return %7 : tuple<tensor<4xf32>, tensor<i1>>
}
