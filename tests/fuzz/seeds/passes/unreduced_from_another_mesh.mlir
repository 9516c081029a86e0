// RUN: --sdy-propagation-pipeline=keep-sharding-rules=true --shardc-separate-unreduced=debug-sharding-origins=true --shardc-insert-reshards --shardc-merge-equal-ops --shardc-move-reshards --shardc-reshard-to-collectives --shardc-optimize-collectives --shardc-hoist-collectives --sdy-convert-global-to-local=filter=stablehlo.add --stablehlo-aggressive-simplification --cse
sdy.mesh @line = <["i"=2]>
sdy.mesh @plane = <["i"=2, "j"=4]>
func.func @main(%x: tensor<12x16xf32>) -> (tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@plane, [{}, {"i", "j":(2)2}]>}) {
  %s = sdy.all_slice [{}, {"i", "j":(2)2}] %x out_sharding=<@plane, [{}, {"i", "j":(2)2}]> : tensor<12x16xf32>
  %u = sdy.reshard %s <@line, [{?}, {}], unreduced={"i"}> : tensor<12x16xf32>
  return %u : tensor<12x16xf32>
}
