// RUN: --shardc-insert-reshards
// The arguments of a declaration become whole, too; there is no body that could need them in parts.
sdy.mesh @mesh = <["x"=3, "y"=2]>
func.func private @declared(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>})
// ---- expect
module {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func private @declared(tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
}
