// A propagation barrier without a sharding passes its operand's tiles on: the sum of the tiles is not added up a second time.
module @random {
  sdy.mesh @mesh = <["w"=3, "x"=3]>
  func.func public @main(
      %v2: tensor<1xi32>) -> (tensor<i32>) {
    %u4 = stablehlo.transpose %v2, dims = [0] : (tensor<1xi32>) -> tensor<1xi32>
    %v4 = sdy.sharding_constraint %u4 <@mesh, [{"w", "x"}]> : tensor<1xi32>
    %v5 = sdy.propagation_barrier %v4 allowed_direction=BACKWARD : tensor<1xi32>
    %h3 = stablehlo.constant dense<0> : tensor<i32>
    %v34 = stablehlo.reduce(%v5 init: %h3) applies stablehlo.add across dimensions = [0] : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
    return %v34 : tensor<i32>
  }
}
