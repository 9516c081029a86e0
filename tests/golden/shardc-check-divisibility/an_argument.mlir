// RUN: --shardc-check-divisibility -verify-diagnostics
// The written sharding of an argument does not divide: a warning says what it becomes.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    // expected-warning@below {{argument 0: dimension 0 of size 6 does not divide into 4 parts: it is sharded as <@mesh, [{"x"}]> instead of <@mesh, [{"x", "y"}]>}}
    %arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<6xf32> {
  return %arg0 : tensor<6xf32>
}
// ---- expect
