// RUN: --shardc-exact-shardings
// Dimensions are closed, constraints are reshards, and what does not divide an input is cut.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}) -> tensor<6xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"y", ?}]> : tensor<6xf32>
  return %0 : tensor<6xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}]> : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
