// functions, calls, loops, branches and custom calls take and give the parts; the parts of shardings and donations go with them
func.func @main(%arg0: tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>> {mhlo.sharding = "{{replicated}, {devices=[2]<=[2]}, {maximal device=0}}"},
                %arg1: tensor<i32> {tf.aliasing_output = 1 : i32}) -> (tuple<tensor<4xf32>, tuple<>, tuple<tensor<i32>>> {mhlo.sharding = "{{devices=[2]<=[2]}, {replicated}}"}, tensor<i32>) {
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%a: tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>):
    %1 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>) -> tensor<i32>
    %2 = stablehlo.compare LT, %1, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%a: tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>):
    %1 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>) -> tensor<i32>
    %2 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>) -> tuple<tensor<4xf32>, tensor<2xi1>>
    %3 = func.call @step(%2) : (tuple<tensor<4xf32>, tensor<2xi1>>) -> tuple<tensor<4xf32>, tensor<2xi1>>
    %4 = stablehlo.add %1, %arg1 : tensor<i32>
    %5 = stablehlo.tuple %4, %3 : tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>
    stablehlo.return %5 : tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>
  }) : (tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>) -> tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>) -> tensor<i32>
  %2 = "stablehlo.case"(%1) ({
    stablehlo.return %0 : tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>
  }, {
    stablehlo.return %arg0 : tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>
  }) : (tensor<i32>) -> tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<i32>, tuple<tensor<4xf32>, tensor<2xi1>>>) -> tuple<tensor<4xf32>, tensor<2xi1>>
  %4 = stablehlo.get_tuple_element %3[0] {mhlo.sharding = "{replicated}"} : (tuple<tensor<4xf32>, tensor<2xi1>>) -> tensor<4xf32>
  %5 = stablehlo.tuple : tuple<>
  %6 = stablehlo.tuple %1 : tuple<tensor<i32>>
  %7 = stablehlo.tuple %4, %5, %6 : tuple<tensor<4xf32>, tuple<>, tuple<tensor<i32>>>
  return %7, %arg1 : tuple<tensor<4xf32>, tuple<>, tuple<tensor<i32>>>, tensor<i32>
}
func.func private @step(%arg0: tuple<tensor<4xf32>, tensor<2xi1>>) -> tuple<tensor<4xf32>, tensor<2xi1>> {
  %0 = stablehlo.custom_call @foreign(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<4xf32>, tensor<2xi1>>) -> tuple<tensor<4xf32>, tensor<2xi1>>
  %1 = stablehlo.optimization_barrier %0 : tuple<tensor<4xf32>, tensor<2xi1>>
  return %1 : tuple<tensor<4xf32>, tensor<2xi1>>
}
