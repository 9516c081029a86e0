// Updates of both inputs are split over devices: each input's parts join by the op of the body.
module @random {
  sdy.mesh @mesh = <["w"=2, "x"=4]>
  func.func public @main(
      %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
      %b: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
      %i: tensor<6x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {}]>},
      %u: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {"x"}]>},
      %v: tensor<6x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {"x"}]>}) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
    %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%l0: tensor<f32>, %l1: tensor<i32>, %r0: tensor<f32>, %r1: tensor<i32>):
      %s0 = stablehlo.maximum %l0, %r0 : tensor<f32>
      %s1 = stablehlo.maximum %l1, %r1 : tensor<i32>
      stablehlo.return %s0, %s1 : tensor<f32>, tensor<i32>
    }) : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<6x1xi32>, tensor<6x8xf32>, tensor<6x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
    return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xi32>
  }
}
