// RUN: not --print-sharding-options
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
// ---- expect
no_mesh.mlir:1:1: error: the program has no mesh with axes: write one, sdy.mesh @mesh = <["x"=2]>
  // RUN: not --print-sharding-options
  ^
