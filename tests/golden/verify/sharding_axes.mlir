// RUN: not --symbol-dce
// A sharding names axes of its mesh, each once, and sorts what it lists as replicated or unreduced.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @unknown_mesh(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}]>}) { return }
func.func @unknown_axis(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z"}, {}]>]>} : tensor<8x8xf32>
  return
}
func.func @twice(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"x"}]>}) { return }
func.func @twice_in_lists(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"x"}, unreduced={"x"}>}) { return }
func.func @replicated_order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"y", "x"}>}) { return }
func.func @unreduced_order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"y":(2)2, "x"}>}) { return }
func.func @priority(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2, {}p1]>}) { return }
// ---- expect
sharding_axes.mlir:4:1: error: 'func.func' op arg 0 - unknown mesh: @other
  func.func @unknown_mesh(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}]>}) { return }
  ^
sharding_axes.mlir:6:8: error: 'stablehlo.negate' op result - unknown axis name: "z"
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z"}, {}]>]>} : tensor<8x8xf32>
         ^
sharding_axes.mlir:9:1: error: 'func.func' op arg 0 - duplicate axis ref: "x"
  func.func @twice(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"x"}]>}) { return }
  ^
sharding_axes.mlir:10:1: error: 'func.func' op arg 0 - duplicate axis ref: "x"
  func.func @twice_in_lists(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"x"}, unreduced={"x"}>}) { return }
  ^
sharding_axes.mlir:11:1: error: 'func.func' op arg 0 - replicated axes are not ordered w.r.t. mesh
  func.func @replicated_order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], replicated={"y", "x"}>}) { return }
  ^
sharding_axes.mlir:12:1: error: 'func.func' op arg 0 - unreduced axes are not ordered w.r.t. mesh
  func.func @unreduced_order(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced=max{"y":(2)2, "x"}>}) { return }
  ^
sharding_axes.mlir:13:1: error: 'func.func' op arg 0 - dim 1 is empty and closed but has a priority
  func.func @priority(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2, {}p1]>}) { return }
  ^
