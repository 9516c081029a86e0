// RUN: --shardc-separate-unreduced --sdy-insert-explicit-reshards=reductions --shardc-merge-equal-ops --shardc-move-reshards=keep-sharding-rules=true --sdy-reshard-to-collectives=cheapest --shardc-optimize-collectives --shardc-hoist-collectives=inline-meshes=true --sdy-convert-global-to-local --stablehlo-aggressive-simplification=keep-redundant-reshards=true

sdy.mesh @meshA = <["a"=2, "b"=2]>
sdy.mesh @meshB = <["a"=4]>
sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>

func.func @manual_computation_dynamic_shapes(%arg0: tensor<16x32xf32>) -> tensor<?x32xf32> {
  %0 = stablehlo.add %arg0, %arg0 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<?x32xf32>
  %1 = sdy.manual_computation(%0)
      in_shardings=[<@meshA, [{"a", ?}, {?}]>]
      out_shardings=[<@meshA, [{"a", ?}, {?}]>]
      manual_axes={"a"} (%arg1: tensor<?x32xf32>) {
    %2 = stablehlo.add %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@meshA, [{?}, {"b"}]>]>} : tensor<?x32xf32>
    sdy.return %2 : tensor<?x32xf32>
  } : (tensor<?x32xf32>) -> tensor<?x32xf32>
  return %1: tensor<?x32xf32>
}

