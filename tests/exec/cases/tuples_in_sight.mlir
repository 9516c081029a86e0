// Tuples that are made in the program are taken apart before propagation, which knows none.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<2xi8>) -> (tensor<4xf32>, tensor<2xi8>) {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<4xf32>, tensor<2xi8>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>, tensor<2xi8>>) -> tensor<4xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<2xi8>>) -> tensor<2xi8>
  return %1, %2 : tensor<4xf32>, tensor<2xi8>
}
