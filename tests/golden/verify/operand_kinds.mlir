// RUN: not --symbol-dce
// Groups and barriers take ranked tensors, a group's number is an i64, manual axes are whole axes, and ops that change no shape say so.
sdy.mesh @m = <["x"=2]>
func.func @token(%arg0: !stablehlo.token) {
  sdy.sharding_group %arg0 group_id=1 : !stablehlo.token
  return
}
func.func @unranked(%arg0: tensor<*xf32>) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<*xf32>
  return
}
func.func @number(%arg0: tensor<8xf32>) {
  "sdy.sharding_group"(%arg0) <{group_id = 1 : i32}> : (tensor<8xf32>) -> ()
  return
}
func.func @sub_axis(%arg0: tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x":(1)2} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @type(%arg0: tensor<8xf32>) {
  %0 = "sdy.reshard"(%arg0) <{sharding = #sdy.sharding<@m, [{}]>}> : (tensor<8xf32>) -> tensor<4xf32>
  return
}
// ---- expect
operand_kinds.mlir:5:3: error: 'sdy.sharding_group' op operand #0 must be ranked tensor of any type values, but got '!stablehlo.token'
    sdy.sharding_group %arg0 group_id=1 : !stablehlo.token
    ^
operand_kinds.mlir:9:8: error: 'sdy.propagation_barrier' op operand #0 must be ranked tensor of any type values, but got 'tensor<*xf32>'
    %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<*xf32>
         ^
operand_kinds.mlir:13:3: error: 'sdy.sharding_group' op attribute 'group_id' failed to satisfy constraint: 64-bit signless integer attribute
    "sdy.sharding_group"(%arg0) <{group_id = 1 : i32}> : (tensor<8xf32>) -> ()
    ^
operand_kinds.mlir:17:8: error: 'sdy.manual_computation' op has the sub-axis "x":(1)2 among its manual axes, which are whole axes
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x":(1)2} (%arg1: tensor<4xf32>) {
         ^
operand_kinds.mlir:23:8: error: 'sdy.reshard' op requires the same type for all operands and results
    %0 = "sdy.reshard"(%arg0) <{sharding = #sdy.sharding<@m, [{}]>}> : (tensor<8xf32>) -> tensor<4xf32>
         ^
