// RUN: not --sdy-verify-unreduced-axes
// Ops neither lose unreduced axes nor change how they are combined; a reduction adds them as its body combines, StableHLO's collectives drop what
// their body combines, and Shardy's need an operand with a sharding.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @dropped(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x", "y"}>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return
}
func.func @part_dropped(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"y"}>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"y"}>]>} : tensor<8xf32>
  return
}
func.func @kind(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"x"}>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  return
}
func.func @added(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
  return
}
func.func @reduce(%arg0: tensor<8x8xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.minimum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}
func.func @product(%arg0: tensor<8x8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}
func.func @all_reduce(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @no_sharding(%arg0: tensor<8xf32>) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @computation(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"y"}>}) {
  %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@m, [{}], unreduced={"y"}>] out_shardings=[<@m, [{}]>] (%arg1: tensor<8xf32>) {
    %1 = sdy.reshard %arg1 <@m, [{}]> : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- expect
lost.mlir:6:8: error: 'stablehlo.negate' op dropped unreduced axis 'y' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : tensor<8xf32>
         ^
lost.mlir:10:8: error: 'stablehlo.add' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"y"}>]>} : tensor<8xf32>
         ^
lost.mlir:14:8: error: 'stablehlo.negate' op cannot change the reduction operator of kept unreduced axes from min to max.
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
         ^
lost.mlir:18:8: error: 'stablehlo.negate' op cannot introduce 'max' unreduced axes. Expected 'sum'.
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced=max{"x"}>]>} : tensor<8xf32>
         ^
lost.mlir:23:8: error: 'stablehlo.reduce' op cannot introduce 'sum' unreduced axes. Expected 'min'.
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.minimum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>...
         ^
lost.mlir:28:8: error: 'stablehlo.reduce' op cannot add new unreduced axis 'x'.
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]...
         ^
lost.mlir:32:8: error: 'stablehlo.all_reduce' op cannot reduce 'sum' unreduced axes. Expected 'max'.
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
         ^
lost.mlir:40:8: error: 'sdy.all_reduce' op operand must be sharded.
    %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
lost.mlir:44:8: error: 'sdy.named_computation' op dropped unreduced axis 'y' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
    %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@m, [{}], unreduced={"y"}>] out_shardings=[<@m, [{}]>] (%arg1: tensor<8xf32>) {
         ^
