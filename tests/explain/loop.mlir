// A loop around a call: chains lead through the loop's edge and the call, names are those of the text.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%state: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<3> : tensor<i32>
  %loop:2 = stablehlo.while(%i = %zero, %s = %state) : tensor<i32>, tensor<8x16xf32>
  cond {
    %more = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %stepped = func.call @step(%s, %w) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    stablehlo.return %next, %stepped : tensor<i32>, tensor<8x16xf32>
  }
  %squares = stablehlo.multiply %loop#1, %loop#1 : tensor<8x16xf32>
  return %squares : tensor<8x16xf32>
}
func.func private @step(%s: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %product = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %bounded = stablehlo.tanh %product : tensor<8x16xf32>
  return %bounded : tensor<8x16xf32>
}
