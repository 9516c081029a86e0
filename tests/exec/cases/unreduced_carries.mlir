// tolerance: 1e-5
// Loops that add parts of a sum to what they carry: in one the parts stay apart, in the others somebody needs the sum.
module @unreduced {
  sdy.mesh @mesh = <["w"=3, "v"=2]>
  func.func public @main(%x: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"v"}, {"w"}]>}, %z: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %u = sdy.sharding_constraint %z <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
    %w:5 = stablehlo.while(%k = %zero, %a = %u, %b = %u, %c = %u, %d = %u) : tensor<i32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>
    cond {
      %more = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %g = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x5xf32>
      %p = sdy.sharding_constraint %g <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
      %a1 = func.call @add(%a, %p) : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
      %b1 = stablehlo.add %b, %z : tensor<5x5xf32>
      %b2 = sdy.sharding_constraint %b1 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
      %c1 = stablehlo.tanh %c : tensor<5x5xf32>
      %c2 = stablehlo.add %c1, %p : tensor<5x5xf32>
      %c3 = sdy.sharding_constraint %c2 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
      %d1 = stablehlo.add %d, %p : tensor<5x5xf32>
      %d2 = stablehlo.transpose %d1, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
      %d3 = sdy.sharding_constraint %d2 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
      stablehlo.return %k1, %a1, %b2, %c3, %d3 : tensor<i32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>
    }
    %0 = sdy.sharding_constraint %w#1 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
    %1 = sdy.sharding_constraint %w#2 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
    %2 = sdy.sharding_constraint %w#3 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
    %3 = sdy.sharding_constraint %w#4 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
    return %0, %1, %2, %3 : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>
  }
  func.func private @add(%a: tensor<5x5xf32>, %b: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %0 = stablehlo.add %a, %b : tensor<5x5xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"w"}> : tensor<5x5xf32>
    return %1 : tensor<5x5xf32>
  }
}
