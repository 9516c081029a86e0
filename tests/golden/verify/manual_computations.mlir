// RUN: not --symbol-dce
// The body of a manual computation sees every value divided by its manual axes, which all shardings' mesh has.
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["z"=2]>
func.func @count(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @mesh(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@o, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @two_meshes(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@n, [{}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = stablehlo.concatenate %arg1, %arg1, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @unknown_axis(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"z"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @free_first(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[<@m, [{"y"}]>] manual_axes={"y"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @divides(%arg0: tensor<7xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<7xf32>) -> tensor<7xf32>
  return
}
func.func @shape(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- expect
manual_computations.mlir:6:8: error: 'sdy.manual_computation' op operand shardings don't match number of values: 0 shardings vs 1 values
    %0 = sdy.manual_computation(%arg0) in_shardings=[] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
         ^
manual_computations.mlir:12:8: error: 'sdy.manual_computation' op result - unknown mesh: @o
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@o, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
         ^
manual_computations.mlir:18:8: error: 'sdy.manual_computation' op all in and out shardings must be bound to the same mesh or an empty mesh.
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@n, [{}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
         ^
manual_computations.mlir:25:8: error: 'sdy.manual_computation' op unknown manual axis: "z"
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] manual_axes={"z"} (%arg1: tensor<8xf32>) {
         ^
manual_computations.mlir:31:8: error: 'sdy.manual_computation' op operand sharding at index 0 must have all manual axes come before free axes in its dimension sharding at index 0. Saw manual axis "y" after free axis "x"
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x", "y"}]>] out_shardings=[<@m, [{"y"}]>] manual_axes={"y"} (%arg1: tensor<4xf32>) {
         ^
manual_computations.mlir:37:8: error: 'sdy.manual_computation' op operand dimension size 7 is not divisible by the manual axes size 2
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
         ^
manual_computations.mlir:43:8: error: 'sdy.manual_computation' op result shape, corresponding sharding, and region result shape at index 0 must match. Expected local shape 'tensor<8xf32>', actual local shape 'tensor<4xf32>'
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
         ^
