// Tuples as operands, results and loop variables: their arrays.
func.func @loop() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = stablehlo.tuple %zero, %x : tuple<tensor<i32>, tensor<2xf32>>
  %0 = "stablehlo.while"(%t) ({
  ^bb0(%a: tuple<tensor<i32>, tensor<2xf32>>):
    %1 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.compare LT, %1, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tuple<tensor<i32>, tensor<2xf32>>):
    %1 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<i32>
    %2 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<2xf32>
    %3 = func.call @step(%1, %2) : (tensor<i32>, tensor<2xf32>) -> tuple<tuple<tensor<2xf32>>, tensor<i32>>
    %4 = stablehlo.get_tuple_element %3[0] : (tuple<tuple<tensor<2xf32>>, tensor<i32>>) -> tuple<tensor<2xf32>>
    %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    %6 = stablehlo.get_tuple_element %3[1] : (tuple<tuple<tensor<2xf32>>, tensor<i32>>) -> tensor<i32>
    %7 = stablehlo.tuple %6, %5 : tuple<tensor<i32>, tensor<2xf32>>
    stablehlo.return %7 : tuple<tensor<i32>, tensor<2xf32>>
  }) : (tuple<tensor<i32>, tensor<2xf32>>) -> tuple<tensor<i32>, tensor<2xf32>>
  %8 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<2xf32>
  check.expect_eq_const %8, dense<[32.0, 64.0]> : tensor<2xf32>
  return
}
func.func private @step(%i: tensor<i32>, %x: tensor<2xf32>) -> tuple<tuple<tensor<2xf32>>, tensor<i32>> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.add %i, %one : tensor<i32>
  %1 = stablehlo.add %x, %x : tensor<2xf32>
  %2 = stablehlo.tuple %1 : tuple<tensor<2xf32>>
  %3 = stablehlo.tuple %2, %0 : tuple<tuple<tensor<2xf32>>, tensor<i32>>
  return %3 : tuple<tuple<tensor<2xf32>>, tensor<i32>>
}
