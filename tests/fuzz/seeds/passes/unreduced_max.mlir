sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced=max{"y"}>}) {
  %0 = sdy.propagation_barrier %a allowed_direction=BACKWARD : tensor<4x4xf32>
  %2 = stablehlo.constant dense<[true, true]> : tensor<2xi1>
%z61833 = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  %1 = sdy.all_reduce max {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x4xf32>
  return
}
