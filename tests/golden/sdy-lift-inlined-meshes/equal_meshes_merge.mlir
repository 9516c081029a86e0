// RUN: --sdy-lift-inlined-meshes
// Inlined meshes get names; of equal ones the first stays.
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y"}]>}) {
  return
}
// ---- expect
module {
  sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  sdy.mesh @mesh = <["y"=4]> {stablehlo.mesh = {axes = [{name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    return
  }
}
