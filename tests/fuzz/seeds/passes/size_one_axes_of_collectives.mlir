
sdy.mesh @mesh_4_2 = <["x"=1, "y"=2]>

func.func @propagate_through_all_gather(%arg0: tensor<7x7xi32>) -> tensor<7x7xi32> {

  %0 = sdy.all_slice [{"x"}, {"y"}] %arg0 out_sharding=<@mesh_4_2, [{"x"}, {"y"}]> : tensor<7x7xi32>
  %1 = sdy.all_gather [{}, {"y"}] %0 out_sharding=<@mesh_4_2, [{"x"}, {}]> : tensor<7x7xi32>
  %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh_4_2, [{"x"}, {"y"}]> : tensor<7x7xi32>
  %3 = stablehlo.slice %2 [0:7, 0:7] : (tensor<7x7xi32>) -> tensor<7x7xi32>
  return %3 : tensor<7x7xi32>
}

