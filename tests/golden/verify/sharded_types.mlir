// RUN: not --symbol-dce
// A sharding has as many dimensions as its value; on one device, or of what is no tensor, it says nothing else.
sdy.mesh @m = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
func.func @rank(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8xf32>
  return
}
func.func @unranked(%arg0: tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
func.func @token(%arg0: !stablehlo.token {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
func.func @dynamic_is_right(%arg0: tensor<?xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
func.func @tuple(%arg0: tuple<tensor<8xf32>, tensor<8xf32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
func.func @tuple_of_one(%arg0: tuple<tensor<8xf32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) { return }
func.func @maximal(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}]>}) { return }
func.func @maximal_is_right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) { return }
func.func @no_result() {
  stablehlo.custom_call @f() {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : () -> ()
  return
}
func.func @no_result_replicated() {
  stablehlo.custom_call @f() {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : () -> ()
  return
}
// ---- expect
sharded_types.mlir:6:8: error: 'stablehlo.negate' op result - sharding doesn't match tensor rank: 2 != 1
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : tensor<8xf32>
         ^
sharded_types.mlir:9:1: error: 'func.func' op arg 0 - only ranked tensors can have a sharding. type: 'tensor<*xf32>'
  func.func @unranked(%arg0: tensor<*xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
  ^
sharded_types.mlir:10:1: error: 'func.func' op arg 0 - non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes. type: '!stablehlo.token', sharding: #sdy.sharding<@m, [{"x"}]>
  func.func @token(%arg0: !stablehlo.token {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
  ^
sharded_types.mlir:12:1: error: 'func.func' op arg 0 - ops can only have a sharding for a tuple of size 1: 'tuple<tensor<8xf32>, tensor<8xf32>>'
  func.func @tuple(%arg0: tuple<tensor<8xf32>, tensor<8xf32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) { return }
  ^
sharded_types.mlir:13:1: error: 'func.func' op arg 0 - sharding doesn't match tensor rank: 2 != 1
  func.func @tuple_of_one(%arg0: tuple<tensor<8xf32>> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) { return }
  ^
sharded_types.mlir:14:1: error: 'func.func' op arg 0 - a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes.
  func.func @maximal(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}]>}) { return }
  ^
sharded_types.mlir:17:3: error: 'stablehlo.custom_call' op result shardings don't match number of values: 1 shardings vs 0 values
    stablehlo.custom_call @f() {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>} : () -> ()
    ^
sharded_types.mlir:21:3: error: 'stablehlo.custom_call' op result 0 - a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes.
    stablehlo.custom_call @f() {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : () -> ()
    ^
