// Several rows at a time are written into sharded ones: in a loop, across the border of tiles, wider than a tile, in two sharded dimensions, of tiles that do not divide, at a place beyond the end.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%x: tensor<24x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<5x6xf32>, %w: tensor<20x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %z: tensor<16x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %v: tensor<6x7xi32>, %o: tensor<22xf32>, %q: tensor<3xf32>) -> (tensor<24x6xf32>, tensor<24x6xf32>, tensor<16x12xi32>, tensor<22xf32>, tensor<24x6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<i32>
  %o0 = sdy.sharding_constraint %o <@mesh, [{"x"}]> : tensor<22xf32>
  %0:5 = stablehlo.while(%i = %zero, %a = %x, %b = %x, %c = %z, %d = %o0) : tensor<i32>, tensor<24x6xf32>, tensor<24x6xf32>, tensor<16x12xi32>, tensor<22xf32>
  cond {
    %go = stablehlo.compare LT, %i, %eight : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %at = stablehlo.multiply %i, %three : tensor<i32>
    %fi = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %fb = stablehlo.broadcast_in_dim %fi, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %ui = stablehlo.multiply %u, %fb : tensor<5x6xf32>
    %a1 = stablehlo.dynamic_update_slice %a, %ui, %at, %zero : (tensor<24x6xf32>, tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<24x6xf32>
    %b1 = stablehlo.dynamic_update_slice %b, %w, %i, %zero : (tensor<24x6xf32>, tensor<20x6xf32>, tensor<i32>, tensor<i32>) -> tensor<24x6xf32>
    %c1 = stablehlo.dynamic_update_slice %c, %v, %at, %i : (tensor<16x12xi32>, tensor<6x7xi32>, tensor<i32>, tensor<i32>) -> tensor<16x12xi32>
    %d1 = stablehlo.dynamic_update_slice %d, %q, %at : (tensor<22xf32>, tensor<3xf32>, tensor<i32>) -> tensor<22xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %a1, %b1, %c1, %d1 : tensor<i32>, tensor<24x6xf32>, tensor<24x6xf32>, tensor<16x12xi32>, tensor<22xf32>
  }
  %1 = stablehlo.dynamic_update_slice %x, %u, %one, %zero : (tensor<24x6xf32>, tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<24x6xf32>
  return %0#1, %0#2, %0#3, %0#4, %1 : tensor<24x6xf32>, tensor<24x6xf32>, tensor<16x12xi32>, tensor<22xf32>, tensor<24x6xf32>
}
