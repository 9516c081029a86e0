// Eight devices, each with 16 numbers: the cost of an execution itself.
module @tiny {
  sdy.mesh @mesh = <["x"=8]>
  func.func @main(
      %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
      %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.multiply %a, %b : tensor<8x16xf32>
    %1 = stablehlo.add %0, %a : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
