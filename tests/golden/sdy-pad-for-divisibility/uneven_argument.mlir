// RUN: not --sdy-pad-for-divisibility
// Programs take and give whole tiles.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
  return %arg0 : tensor<7xf32>
}
// ---- expect
uneven_argument.mlir:4:1: error: argument #0 has a non-divisible sharding
  func.func @main(%arg0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
  ^
uneven_argument.mlir:4:1: error: failed to legalize operation 'func.func'
  func.func @main(%arg0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
  ^
