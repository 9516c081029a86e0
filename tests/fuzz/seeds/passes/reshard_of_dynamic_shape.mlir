// RUN: --shardc-separate-unreduced --shardc-insert-reshards --shardc-merge-equal-ops --shardc-move-reshards=keep-sharding-rules=true --shardc-reshard-to-collectives --shardc-optimize-collectives --shardc-hoist-collectives=inline-meshes=true --sdy-convert-global-to-local --stablehlo-aggressive-simplification=keep-redundant-reshards=true
sdy.mesh @square = <["g"=2, "h"=2]>
func.func @main(%x: tensor<10x6xf32>) -> tensor<?x6xf32> {
  %d = stablehlo.multiply %x, %x : (tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<?x6xf32>
  %m = sdy.manual_computation(%d) in_shardings=[<@square, [{"g", ?}, {?}]>] out_shardings=[<@square, [{"g", ?}, {?}]>] manual_axes={"g"} (%t: tensor<?x6xf32>) {
    %n = stablehlo.negate %t {sdy.sharding = #sdy.sharding_per_value<[<@square, [{?}, {"h"}]>]>} : tensor<?x6xf32>
    sdy.return %n : tensor<?x6xf32>
  } : (tensor<?x6xf32>) -> tensor<?x6xf32>
  return %m : tensor<?x6xf32>
}
