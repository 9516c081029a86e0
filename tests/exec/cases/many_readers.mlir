// A value with more than eight readers joined a kernel that runs after some of them.
module @random {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(
      %v2: tensor<9xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>},
      %v3: tensor<6xui8>,
      %v4: tensor<i32>,
      %v10: tensor<9xui8>,
      %v11: tensor<9xi1>) -> (tensor<9xui8>) {
    %v5 = stablehlo.dynamic_update_slice %v2, %v3, %v4 : (tensor<9xui8>, tensor<6xui8>, tensor<i32>) -> tensor<9xui8>
    %u12 = stablehlo.select %v11, %v5, %v10 : tensor<9xi1>, tensor<9xui8>
    %v12 = sdy.sharding_constraint %u12 <@mesh, [{"y"}]> : tensor<9xui8>
    %v16 = stablehlo.add %v2, %v2 : tensor<9xui8>
    %h0 = stablehlo.constant dense<0> : tensor<i32>
    %h1 = stablehlo.constant dense<1> : tensor<i32>
    %h2:2 = stablehlo.while(%i = %h0, %acc = %v12) : tensor<i32>, tensor<9xui8>
     cond {
      %go = stablehlo.compare LT, %i, %v4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %row = stablehlo.slice %v16 [0:1] : (tensor<9xui8>) -> tensor<1xui8>
      %next = stablehlo.dynamic_update_slice %acc, %row, %i : (tensor<9xui8>, tensor<1xui8>, tensor<i32>) -> tensor<9xui8>
      %j = stablehlo.add %i, %h1 : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<9xui8>
    }
    %v17 = stablehlo.reshape %h2#1 : (tensor<9xui8>) -> tensor<9xui8>
    return %v17 : tensor<9xui8>
  }
}
