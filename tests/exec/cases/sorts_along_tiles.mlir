// Sorts along dimensions that stay sharded: uneven tiles, rows of another axis, several operands, few different keys, devices in another
// order, keys that are zeros of both signs.
sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[3, 1, 0, 2, 7, 5, 6, 4]>
func.func public @main(%a: tensor<8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %b: tensor<8192xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %c: tensor<6144x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, tensor<8192xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, tensor<6144x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8192xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>):
    %t = stablehlo.compare GT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) : (tensor<8192xf32>, tensor<8192xi32>) -> (tensor<8192xf32>, tensor<8192xi32>)
  %1 = stablehlo.slice %c [0:6001, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<6144x3xf32>) -> tensor<6001x3xf32>
  %2 = "stablehlo.sort"(%1) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<6001x3xf32>) -> tensor<6001x3xf32>
  %z = stablehlo.constant dense<7.0> : tensor<f32>
  %3 = stablehlo.pad %2, %z, low = [0, 0], high = [143, 0], interior = [0, 0] : (tensor<6001x3xf32>, tensor<f32>) -> tensor<6144x3xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<8192xf32>
  %few = stablehlo.constant dense<3> : tensor<8192xi32>
  %4 = stablehlo.multiply %a, %zeros {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8192xf32>
  %5 = "stablehlo.sort"(%4) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8192xf32>) -> tensor<8192xf32>
  %6 = stablehlo.and %b, %few {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>]>} : tensor<8192xi32>
  %7 = stablehlo.iota dim = 0 : tensor<8192xi8>
  %8:2 = "stablehlo.sort"(%6, %7) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i8>, %s: tensor<i8>):
    %lt = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %gt = stablehlo.compare GT, %r, %s, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %e = stablehlo.and %eq, %gt : tensor<i1>
    %t = stablehlo.or %lt, %e : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>]>} : (tensor<8192xi32>, tensor<8192xi8>) -> (tensor<8192xi32>, tensor<8192xi8>)
  return %0#0, %0#1, %3, %5, %8#1 : tensor<8192xf32>, tensor<8192xi32>, tensor<6144x3xf32>, tensor<8192xf32>, tensor<8192xi8>
}
