
// RUN: --sdy-propagation-pipeline=keep-sharding-rules=true --shardc-separate-unreduced=debug-sharding-origins=true --sdy-insert-explicit-reshards=reductions --shardc-merge-equal-ops --shardc-move-reshards --sdy-reshard-to-collectives=cheapest --shardc-optimize-collectives --shardc-hoist-collectives --sdy-convert-global-to-local=filter=stablehlo.add --stablehlo-aggressive-simplification --cse
//--- part1.mlir

sdy.mesh @mesh_2 = <["x"=2]>
sdy.mesh @mesh_2_4 = <["x"=2, "y"=4]>

func.func @all_slice_subaxis(
  %arg0: tensor<8x8xi32>)
  -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh_2_4, [{}, {"x", "y":(2)2}]>}) {
  %0 = sdy.all_slice [{}, {"x", "y":(2)2}] %arg0 out_sharding=<@mesh_2_4, [{}, {"x", "y":(2)2}]> : tensor<8x8xi32>
%z26029 = sdy.reshard %0 <@mesh_2, [{?}, {}], unreduced={"x"}> : tensor<8x8xi32>
  return %z26029 : tensor<8x8xi32>
}

//--- part2.mlir

