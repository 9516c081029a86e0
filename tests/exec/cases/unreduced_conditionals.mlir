// Results of conditionals and loops under constraints with unreduced axes count once.
module @unreduced {
  sdy.mesh @mesh = <["w"=3, "v"=2]>
  func.func public @main(%n: tensor<i32>, %p: tensor<i1>, %x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"v"}, {"w"}]>}) -> (tensor<i32>, tensor<i32>, tensor<4x6xf32>) {
    %i = "stablehlo.if"(%p) ({
      %one = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.return %one : tensor<i32>
    }, {
      stablehlo.return %n : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    %0 = sdy.sharding_constraint %i <@mesh, [], unreduced={"w"}> : tensor<i32>
    %c = "stablehlo.case"(%n) ({
      stablehlo.return %x : tensor<4x6xf32>
    }, {
      %y = stablehlo.negate %x : tensor<4x6xf32>
      stablehlo.return %y : tensor<4x6xf32>
    }) : (tensor<i32>) -> tensor<4x6xf32>
    %1 = sdy.sharding_constraint %c <@mesh, [{"v"}, {}], unreduced={"w"}> : tensor<4x6xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zero, %s = %n) : tensor<i32>, tensor<i32>
    cond {
      %more = stablehlo.compare LT, %k, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %s1 = stablehlo.multiply %s, %k1 : tensor<i32>
      stablehlo.return %k1, %s1 : tensor<i32>, tensor<i32>
    }
    %2 = sdy.sharding_constraint %w#1 <@mesh, [], unreduced={"v"}> : tensor<i32>
    return %0, %2, %1 : tensor<i32>, tensor<i32>, tensor<4x6xf32>
  }
}
