// One axis of a dimension becomes unreduced, the one behind it moves to another dimension.
module @random {
  sdy.mesh @mesh = <["w"=2, "x"=4]>
  func.func public @main(
      %v0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w", "x"}, {}]>},
      %v7: tensor<8x8xf32>,
      %v8: tensor<i64>) -> (tensor<8x8xf32>) {
    %v4 = stablehlo.slice %v0 [0:8, 0:8] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %u9 = stablehlo.dynamic_update_slice %v4, %v7, %v8, %v8 : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<i64>, tensor<i64>) -> tensor<8x8xf32>
    %v9 = sdy.sharding_constraint %u9 <@mesh, [{}, {"x"}], unreduced={"w"}> : tensor<8x8xf32>
    return %v9 : tensor<8x8xf32>
  }
}
