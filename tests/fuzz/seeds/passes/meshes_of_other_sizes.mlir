// A value and the result that it becomes lie on meshes of other sizes.
sdy.mesh @small = <["p"=3]>
sdy.mesh @large = <["p"=3, "q"=2]>
func.func @main() -> (tensor<5x9xi32> {sdy.sharding = #sdy.sharding<@large, [{}, {"p", ?}]>}) {
  %i = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@small, [{}, {"p"}]>]>} : tensor<5x9xi32>
  return %i : tensor<5x9xi32>
}
