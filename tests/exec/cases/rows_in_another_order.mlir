// Short rows that are read in one order and written in another, in blocks of positions of which the last one has fewer; with what is computed of
// them, of several dimensions between, and on two devices.
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %a: tensor<6x77x13x40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>}, %b: tensor<2x109x5x7x24xbf16>, %c: tensor<501x96x16xf32>)
    -> (tensor<6x13x77x40xf32>, tensor<2x5x7x109x24xf32>, tensor<96x501x16xf32>) {
  %0 = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<6x77x13x40xf32>) -> tensor<6x13x77x40xf32>
  %1 = stablehlo.convert %b : (tensor<2x109x5x7x24xbf16>) -> tensor<2x109x5x7x24xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 3, 1, 4] : (tensor<2x109x5x7x24xf32>) -> tensor<2x5x7x109x24xf32>
  %3 = stablehlo.add %2, %2 : tensor<2x5x7x109x24xf32>
  %4 = stablehlo.transpose %c, dims = [1, 0, 2] : (tensor<501x96x16xf32>) -> tensor<96x501x16xf32>
  %5 = stablehlo.negate %4 : tensor<96x501x16xf32>
  return %0, %3, %5 : tensor<6x13x77x40xf32>, tensor<2x5x7x109x24xf32>, tensor<96x501x16xf32>
}
