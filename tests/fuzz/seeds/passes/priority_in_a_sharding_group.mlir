// Branches, a sharding group and an optimisation barrier on a mesh of three axes.
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=4]>
func.func @main(%which: tensor<i32>, %a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
%z23125 = sdy.propagation_barrier %a allowed_direction=BACKWARD : tensor<8x16xf32>
  %chosen = "stablehlo.case"(%which) ({
    %left = stablehlo.negate %z23125 : tensor<8x16xf32>
    stablehlo.return %left : tensor<8x16xf32>
  }, {
    %right = stablehlo.transpose %z23125, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %flat = stablehlo.reshape %right : (tensor<16x8xf32>) -> tensor<8x16xf32>
    stablehlo.return %flat : tensor<8x16xf32>
  }) : (tensor<i32>) -> tensor<8x16xf32>
  %held = stablehlo.optimization_barrier %chosen : tensor<8x16xf32>
  %other = stablehlo.exponential %b : tensor<8x16xf32>
%z95823 = sdy.sharding_constraint %other <@mesh, [{}, {"x", "z", "y"}]> : tensor<8x16xf32>
%z71632 = sdy.manual_computation(%z95823) in_shardings=[<@mesh, [{"y", ?}p1, {"x", "z", ?}]>] out_shardings=[<@mesh, [{"y", ?}p1, {"x", "z", ?}]>] manual_axes={} (%m: tensor<8x16xf32>) {
  sdy.return %m : tensor<8x16xf32>
} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  sdy.sharding_group %held group_id = 7 : tensor<8x16xf32>
  sdy.sharding_group %z71632 group_id = 7 : tensor<8x16xf32>
  return %held, %z71632 : tensor<8x16xf32>, tensor<8x16xf32>
}
