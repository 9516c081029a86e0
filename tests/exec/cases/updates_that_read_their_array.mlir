// Loops whose updates read the array that they change: at the place itself, beside it, rows that overlap with those written, of sharded rows whatever device has them; single rows at known places, a column, the first rows and the last ones.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<64x6xf32>, %u: tensor<4x6xf32>, %r: tensor<1x6xf32>, %k: tensor<64x1xf32>) -> (tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.constant dense<20> : tensor<i32>
  %last = stablehlo.constant dense<63> : tensor<i32>
  %end = stablehlo.constant dense<60> : tensor<1xi32>
  %first = stablehlo.constant dense<0> : tensor<1xi32>
  %0:5 = stablehlo.while(%i = %zero, %a = %x, %b = %x, %c = %y, %d = %x) : tensor<i32>, tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %at = stablehlo.multiply %i, %three : tensor<i32>
    %beside = stablehlo.add %at, %one : tensor<i32>
    %old = stablehlo.dynamic_slice %a, %at, %zero, sizes = [4, 6] : (tensor<64x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %sum = stablehlo.add %old, %u : tensor<4x6xf32>
    %a1 = stablehlo.dynamic_update_slice %a, %sum, %at, %zero : (tensor<64x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %moved = stablehlo.dynamic_slice %a1, %beside, %zero, sizes = [4, 6] : (tensor<64x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %a2 = stablehlo.dynamic_update_slice %a1, %moved, %at, %zero : (tensor<64x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %b1 = "stablehlo.scatter"(%b, %first, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64x6xf32>, tensor<1xi32>, tensor<4x6xf32>) -> tensor<64x6xf32>
    %b2 = "stablehlo.scatter"(%b1, %end, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.subtract %q, %p : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64x6xf32>, tensor<1xi32>, tensor<4x6xf32>) -> tensor<64x6xf32>
    %rows = stablehlo.dynamic_slice %c, %at, %zero, sizes = [4, 6] : (tensor<64x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %c1 = stablehlo.dynamic_update_slice %c, %rows, %beside, %zero : (tensor<64x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %top = stablehlo.slice %c1 [0:4, 0:6] : (tensor<64x6xf32>) -> tensor<4x6xf32>
    %topped = stablehlo.add %top, %u : tensor<4x6xf32>
    %c2 = stablehlo.dynamic_update_slice %c1, %topped, %three, %zero : (tensor<64x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %d1 = stablehlo.dynamic_update_slice %d, %r, %zero, %zero : (tensor<64x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %d2 = stablehlo.dynamic_update_slice %d1, %r, %last, %zero : (tensor<64x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %d3 = stablehlo.dynamic_update_slice %d2, %k, %zero, %three : (tensor<64x6xf32>, tensor<64x1xf32>, tensor<i32>, tensor<i32>) -> tensor<64x6xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %a2, %b2, %c2, %d3 : tensor<i32>, tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>
  }
  return %0#1, %0#2, %0#3, %0#4 : tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>, tensor<64x6xf32>
}
