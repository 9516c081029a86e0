// Tokens enter, leave and pass through loops, conditionals, tuples, calls and manual computations; they have no array.
sdy.mesh @mesh = <["x"=2]>
func.func private @ordered(%t: !stablehlo.token, %a: tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>) {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1 = stablehlo.tuple %0, %a : tuple<!stablehlo.token, tensor<4xf32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<!stablehlo.token, tensor<4xf32>>) -> !stablehlo.token
  %3 = stablehlo.get_tuple_element %1[1] : (tuple<!stablehlo.token, tensor<4xf32>>) -> tensor<4xf32>
  %4:2 = stablehlo.optimization_barrier %2, %3 : !stablehlo.token, tensor<4xf32>
  return %4#0, %4#1 : !stablehlo.token, tensor<4xf32>
}
func.func public @main(%t: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}, %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<4xf32>, !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%u = %t, %k = %zero, %v = %a) : !stablehlo.token, tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %w = stablehlo.after_all %u : !stablehlo.token
      %next = stablehlo.add %k, %one : tensor<i32>
      %turned = stablehlo.reverse %v, dims = [0] : tensor<4xf32>
      %is_one = stablehlo.compare EQ, %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %1:2 = "stablehlo.if"(%is_one) ({
        %x = stablehlo.after_all %w : !stablehlo.token
        stablehlo.return %x, %turned : !stablehlo.token, tensor<4xf32>
      }, {
        stablehlo.return %w, %v : !stablehlo.token, tensor<4xf32>
      }) : (tensor<i1>) -> (!stablehlo.token, tensor<4xf32>)
      %2:2 = "stablehlo.case"(%k) ({
        %x = stablehlo.create_token : !stablehlo.token
        stablehlo.return %x, %1#1 : !stablehlo.token, tensor<4xf32>
      }, {
        %y = stablehlo.add %1#1, %1#1 : tensor<4xf32>
        stablehlo.return %1#0, %y : !stablehlo.token, tensor<4xf32>
      }) : (tensor<i32>) -> (!stablehlo.token, tensor<4xf32>)
      stablehlo.return %2#0, %next, %2#1 : !stablehlo.token, tensor<i32>, tensor<4xf32>
    }
  %3:2 = func.call @ordered(%0#0, %0#2) : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
  %4:2 = sdy.manual_computation(%3#0, %3#1) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] manual_axes={"x"} (%u: !stablehlo.token, %v: tensor<2xf32>) {
    %5 = stablehlo.negate %v : tensor<2xf32>
    sdy.return %u, %5 : !stablehlo.token, tensor<2xf32>
  } : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
  return %4#1, %4#0, %a : tensor<4xf32>, !stablehlo.token, tensor<4xf32>
}
