// RUN: not --sdy-verify-unreduced-axes
// What enters and leaves functions and manual computations is unreduced over the same axes on both sides.
sdy.mesh @m = <["x"=2, "y"=2]>
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  return %arg0 : tensor<8xf32>
}
func.func @argument(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"y"}>}) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @result(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @return(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=FORWARD : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @manual(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}], unreduced={"y"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ---- expect
calls_and_returns.mlir:8:8: error: 'func.call' op has unreduced axes mismatch for 'x, y' at call argument 0.
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
         ^
calls_and_returns.mlir:12:8: error: 'func.call' op has unreduced axes mismatch for 'x' at call result 0.
    %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
         ^
calls_and_returns.mlir:17:3: error: 'func.return' op has unreduced axes mismatch for 'x' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
    return %0 : tensor<8xf32>
    ^
calls_and_returns.mlir:21:5: error: 'sdy.return' op has unreduced axes mismatch for 'y' at return value 0 without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
      sdy.return %arg1 : tensor<4xf32>
      ^
