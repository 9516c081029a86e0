// RUN: --shardc-separate-unreduced --shardc-merge-equal-ops --shardc-move-reshards --shardc-optimize-collectives --shardc-hoist-collectives --sdy-convert-global-to-local --stablehlo-aggressive-simplification=keep-sharding-rules=true
// Small dynamic slices and the largest elements of sharded dimensions: each device gives what it has.
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<64x6xi4> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<62xi4> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<i32>, %j: tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}, %t: tensor<6x50xi4> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<5x6xi4>, tensor<1x2xi4>, tensor<7xi4>, tensor<6x3xi4>, tensor<6x3xi32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [5, 6] : (tensor<64x6xi4>, tensor<i32>, tensor<i32>) -> tensor<5x6xi4>
  %1 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 2] : (tensor<64x6xi4>, tensor<i32>, tensor<i32>) -> tensor<1x2xi4>
%z73231 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 2] : (tensor<64x6xi4>, tensor<i32>, tensor<i32>) -> tensor<1x2xi4>
  %2 = stablehlo.dynamic_slice %b, %i, sizes = [7] : (tensor<62xi4>, tensor<i32>) -> tensor<7xi4>
  %3:2 = chlo.top_k(%t, k = 3) : tensor<6x50xi4> -> (tensor<6x3xi4>, tensor<6x3xi32>)
  return %0, %1, %2, %3#0, %3#1 : tensor<5x6xi4>, tensor<1x2xi4>, tensor<7xi4>, tensor<6x3xi4>, tensor<6x3xi32>
}
