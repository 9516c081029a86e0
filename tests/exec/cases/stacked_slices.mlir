// Slices that a loop changes and stacks, where they are stacked: with devices that share a slice, and positions beyond the end.
module @caches {
  sdy.mesh @mesh = <["x"=2]>
func.func @main(%cache: tensor<4x1x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"x"}]>}, %other: tensor<4x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %new: tensor<1x2xf32>, %at: tensor<i32>) -> (tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x1x8x2xf32>
  %more = stablehlo.constant dense<0.0> : tensor<4x8x2xf32>
  %sum = stablehlo.constant dense<0.0> : tensor<8x2xf32>
  %r:4 = stablehlo.while(%i = %zero, %stack = %zeros, %second = %more, %s = %sum) : tensor<i32>, tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
  cond {
    %less = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %slice = stablehlo.dynamic_slice %cache, %i, %zero, %zero, %zero, sizes = [1, 1, 8, 2] : (tensor<4x1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x2xf32>
    %layer = stablehlo.reshape %slice : (tensor<1x1x8x2xf32>) -> tensor<8x2xf32>
    %changed = stablehlo.dynamic_update_slice %layer, %new, %at, %zero : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %twice = stablehlo.dynamic_update_slice %changed, %new, %i, %zero : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %next = stablehlo.add %s, %twice : tensor<8x2xf32>
    %whole = stablehlo.broadcast_in_dim %twice, dims = [2, 3] : (tensor<8x2xf32>) -> tensor<1x1x8x2xf32>
    %stacked = stablehlo.dynamic_update_slice %stack, %whole, %i, %zero, %zero, %zero : (tensor<4x1x8x2xf32>, tensor<1x1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1x8x2xf32>
    %other_slice = stablehlo.dynamic_slice %other, %at, %zero, %zero, sizes = [1, 8, 2] : (tensor<4x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x2xf32>
    %row = stablehlo.reshape %new : (tensor<1x2xf32>) -> tensor<1x1x2xf32>
    %other_changed = stablehlo.dynamic_update_slice %other_slice, %row, %zero, %at, %zero : (tensor<1x8x2xf32>, tensor<1x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x2xf32>
    %other_stacked = stablehlo.dynamic_update_slice %second, %other_changed, %i, %zero, %zero : (tensor<4x8x2xf32>, tensor<1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x2xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %stacked, %other_stacked, %next : tensor<i32>, tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
}
}
