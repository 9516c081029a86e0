// RUN: --shardc-insert-reshards --shardc-reshard-to-collectives --shardc-hoist-collectives
// Eight steps take all eight rows of %arg0: it is gathered before the loop. Four steps take fewer elements of %arg1 than it has: in each step the row
// is summed from what every device has of it.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<1x16xf32>
  %0:3 = stablehlo.while(%i = %zero, %sum = %start, %rows = %arg0) : tensor<i32>, tensor<1x16xf32>, tensor<8x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>]>}
  cond {
    %end = stablehlo.constant dense<8> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %row = stablehlo.dynamic_slice %rows, %i, %zero, sizes = [1, 16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %added = stablehlo.add %sum, %row {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<1x16xf32>
    stablehlo.return %next, %added, %rows : tensor<i32>, tensor<1x16xf32>, tensor<8x16xf32>
  }
  %1:2 = stablehlo.while(%i = %zero, %sum = %start) : tensor<i32>, tensor<1x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>]>}
  cond {
    %end = stablehlo.constant dense<7> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %row = stablehlo.dynamic_slice %arg1, %i, %zero, sizes = [1, 16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %next = stablehlo.add %i, %two : tensor<i32>
    %added = stablehlo.add %sum, %row {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<1x16xf32>
    stablehlo.return %next, %added : tensor<i32>, tensor<1x16xf32>
  }
  return %0#1, %1#1 : tensor<1x16xf32>, tensor<1x16xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<1x16xf32>, tensor<1x16xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x16xf32>
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %cst, %iterArg_1 = %arg0) : tensor<i32>, tensor<1x16xf32>, tensor<8x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>]>}
    cond {
      %c_2 = stablehlo.constant dense<8> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = sdy.all_gather [{"x"}, {}] %iterArg_1 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
      %4 = stablehlo.dynamic_slice %0, %iterArg, %c, sizes = [1, 16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
      %5 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %6 = stablehlo.add %iterArg_0, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<1x16xf32>
      stablehlo.return %5, %6, %iterArg_1 : tensor<i32>, tensor<1x16xf32>, tensor<8x16xf32>
    }
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %cst) : tensor<i32>, tensor<1x16xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {}]>]>}
    cond {
      %c_1 = stablehlo.constant dense<7> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %3 = stablehlo.dynamic_slice %arg1, %iterArg, %c, sizes = [1, 16] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
      %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<1x16xf32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %6 = stablehlo.add %iterArg_0, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<1x16xf32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<1x16xf32>
    }
    return %1#1, %2#1 : tensor<1x16xf32>, tensor<1x16xf32>
  }
}
