// RUN: not --symbol-dce --allow-unregistered-dialect
// Shardy's attributes are of their kinds, and there are as many shardings as results.
sdy.mesh @m = <["x"=2]>
func.func @argument(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>}) { return }
func.func @result(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = 1 : i64}) { return %arg0 : tensor<8xf32> }
func.func @one_sharding(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding<@m, [{"x"}]>} : tensor<8xf32>
  return
}
func.func @too_many(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{"x"}]>]>} : tensor<8xf32>
  return
}
func.func @second_result(%arg0: tensor<i64>, %arg1: tensor<i64>) {
  %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{"x"}]>]>} %arg0, %arg1 : tensor<i64>, tensor<i64>
  return
}
func.func @function() attributes {sdy.sharding = 2 : i64} { return }
func.func @rule(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = 3 : i64} : tensor<8xf32>
  return
}
func.func @unknown_op(%arg0: tensor<8xf32>) {
  %0 = "test.op"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- expect
sharding_attributes.mlir:4:1: error: 'func.func' op arg 0 - should have a sharding attribute of type TensorShardingAttr
  func.func @argument(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>]>}) { return }
  ^
sharding_attributes.mlir:5:1: error: 'func.func' op result 0 - should have a sharding attribute of type TensorShardingAttr
  func.func @result(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = 1 : i64}) { return %arg0 : tensor<8xf32> }
  ^
sharding_attributes.mlir:7:8: error: 'stablehlo.negate' op should have a sharding attribute of type TensorShardingPerValueAttr
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding<@m, [{"x"}]>} : tensor<8xf32>
         ^
sharding_attributes.mlir:11:8: error: 'stablehlo.negate' op result shardings don't match number of values: 2 shardings vs 1 values
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}]>, <@m, [{"x"}]>]>} : tensor<8xf32>
         ^
sharding_attributes.mlir:15:10: error: 'stablehlo.optimization_barrier' op result 1 - sharding doesn't match tensor rank: 1 != 0
    %0:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, [{"x"}]>]>} %arg0, %arg1 : tensor<i64>, tensor<i64>
           ^
sharding_attributes.mlir:18:1: error: 'func.func' op should have a sharding attribute of type TensorShardingPerValueAttr
  func.func @function() attributes {sdy.sharding = 2 : i64} { return }
  ^
sharding_attributes.mlir:20:8: error: 'stablehlo.negate' op should have a sharding rule attribute of type OpShardingRuleAttr for attr named 'sdy.sharding_rule'
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = 3 : i64} : tensor<8xf32>
         ^
sharding_attributes.mlir:24:8: error: 'test.op' op result - unknown axis name: "y"
    %0 = "test.op"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
         ^
