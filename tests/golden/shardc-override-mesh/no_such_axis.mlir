// RUN: not --shardc-override-mesh=sizes=z=4
// An axis that no mesh has is refused.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- expect
no_such_axis.mlir:1:1: error: no mesh of the program has an axis 'z'
  // RUN: not --shardc-override-mesh=sizes=z=4
  ^
