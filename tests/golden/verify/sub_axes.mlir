// RUN: not --symbol-dce
// A sub-axis is a proper factor of its axis; two of one axis do not overlap, nor stand beside the whole axis or where they could be one.
sdy.mesh @m = <["x"=8, "y"=12]>
func.func @merge(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2, "x":(2)2}, {}]>}) { return }
func.func @merge_before_divisor(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(4)2, "x":(8)2}, {}]>}) { return }
func.func @apart_is_right(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}, {"x":(2)2}]>}) { return }
func.func @pre_size(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(0)2}, {}]>}) { return }
func.func @negative_pre_size(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(-2)2}, {}]>}) { return }
func.func @size_zero(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)0}, {}]>}) { return }
func.func @size_one(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)1}, {}]>}) { return }
func.func @divisor(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(4)2}, {}]>}) { return }
func.func @beyond(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(4)4}, {}]>}) { return }
func.func @beyond_all_numbers(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(4611686018427387904)4}, {}]>}) { return }
func.func @whole(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)8}, {}]>}) { return }
func.func @overlap(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)4}, {"x":(1)4}]>}) { return }
func.func @beside_whole(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], replicated={"x":(2)2}>}) { return }
func.func @factors_of_no_product(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {"y":(3)2}]>}) { return }
// ---- expect
sub_axes.mlir:4:1: error: 'func.func' op arg 0 - two consecutive sub-axes can be merged: "x":(1)2, "x":(2)2
  func.func @merge(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2, "x":(2)2}, {}]>}) { return }
  ^
sub_axes.mlir:5:1: error: 'func.func' op arg 0 - two consecutive sub-axes can be merged: "x":(4)2, "x":(8)2
  func.func @merge_before_divisor(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(4)2, "x":(8)2}, {}]>}) { return }
  ^
sub_axes.mlir:7:1: error: 'func.func' op arg 0 - sub-axis pre-size must be at least 1: "x":(0)2
  func.func @pre_size(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(0)2}, {}]>}) { return }
  ^
sub_axes.mlir:8:1: error: 'func.func' op arg 0 - sub-axis pre-size must be at least 1: "x":(-2)2
  func.func @negative_pre_size(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(-2)2}, {}]>}) { return }
  ^
sub_axes.mlir:9:1: error: 'func.func' op arg 0 - sub-axis sizes must be greater than 1: "x":(2)0
  func.func @size_zero(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)0}, {}]>}) { return }
  ^
sub_axes.mlir:10:1: error: 'func.func' op arg 0 - sub-axis sizes must be greater than 1: "x":(2)1
  func.func @size_one(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)1}, {}]>}) { return }
  ^
sub_axes.mlir:11:1: error: 'func.func' op arg 0 - sub-axis next pre-size 8 doesn't divide the size of the full axis 12: "y":(4)2
  func.func @divisor(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(4)2}, {}]>}) { return }
  ^
sub_axes.mlir:12:1: error: 'func.func' op arg 0 - sub-axis next pre-size 16 doesn't divide the size of the full axis 8: "x":(4)4
  func.func @beyond(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(4)4}, {}]>}) { return }
  ^
sub_axes.mlir:13:1: error: 'func.func' op arg 0 - sub-axis next pre-size 9223372036854775807 doesn't divide the size of the full axis 8: "x":(4611686018427387904)4
  func.func @beyond_all_numbers(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(4611686018427387904)4}, {}]>}) { return }
  ^
sub_axes.mlir:14:1: error: 'func.func' op arg 0 - sub-axis size is equal to the full axis size: "x":(1)8
  func.func @whole(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)8}, {}]>}) { return }
  ^
sub_axes.mlir:15:1: error: 'func.func' op arg 0 - overlapping sub-axes: "x":(1)4, "x":(2)4
  func.func @overlap(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(2)4}, {"x":(1)4}]>}) { return }
  ^
sub_axes.mlir:16:1: error: 'func.func' op arg 0 - both sub-axis and full-axis are used for axis name: "x"
  func.func @beside_whole(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}], replicated={"x":(2)2}>}) { return }
  ^
sub_axes.mlir:17:1: error: 'func.func' op arg 0 - sub-axes that are no factors of one product of the full axis: "y":(1)2, "y":(3)2
  func.func @factors_of_no_product(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(1)2}, {"y":(3)2}]>}) { return }
  ^
