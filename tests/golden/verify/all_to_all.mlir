// RUN: not --symbol-dce
// An all-to-all moves the minor axes of dimensions to others, of which none is named twice.
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @none(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  %0 = "sdy.all_to_all"(%arg0) <{out_sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>, params = #sdy<all_to_all_param_list[]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}
func.func @range(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->2] %arg0 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return
}
func.func @to_itself(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->0] %arg0 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return
}
func.func @order(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 1->2, {"x"}: 0->3] %arg0 out_sharding=<@m, [{}, {}, {"y"}, {"x"}]> : tensor<8x8x8x8xf32>
  return
}
func.func @axis_twice(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->2, {"x"}: 1->3] %arg0 out_sharding=<@m, [{}, {}, {"y"}, {"x"}]> : tensor<8x8x8x8xf32>
  return
}
func.func @not_minor(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
  return
}
func.func @result(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {}]>}) {
  %0 = sdy.all_to_all [{"y"}: 0->1] %arg0 out_sharding=<@m, [{"x"}, {"y":(1)2}]> : tensor<8x8xf32>
  return
}
func.func @other_dimension(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {"y"}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x"}, {}]> : tensor<8x8x8xf32>
  return
}
// ---- expect
all_to_all.mlir:5:8: error: 'sdy.all_to_all' op parameter list is empty
    %0 = "sdy.all_to_all"(%arg0) <{out_sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>, params = #sdy<all_to_all_param_list[]>}> : (tensor<8x8xf32>) -> tensor<8x8xf3...
         ^
all_to_all.mlir:9:8: error: 'sdy.all_to_all' op target dimension 2 is out of range [0, 2)
    %0 = sdy.all_to_all [{"y"}: 0->2] %arg0 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
         ^
all_to_all.mlir:13:8: error: 'sdy.all_to_all' op overlapping source/target dimensions in all-to-all params: 0
    %0 = sdy.all_to_all [{"y"}: 0->0] %arg0 out_sharding=<@m, [{"x"}, {"y"}]> : tensor<8x8xf32>
         ^
all_to_all.mlir:17:8: error: 'sdy.all_to_all' op source dimensions are not sorted in ascending order: 0 appears after 1
    %0 = sdy.all_to_all [{"y"}: 1->2, {"x"}: 0->3] %arg0 out_sharding=<@m, [{}, {}, {"y"}, {"x"}]> : tensor<8x8x8x8xf32>
         ^
all_to_all.mlir:21:8: error: 'sdy.all_to_all' op duplicate axis ref: "x"
    %0 = sdy.all_to_all [{"x"}: 0->2, {"x"}: 1->3] %arg0 out_sharding=<@m, [{}, {}, {"y"}, {"x"}]> : tensor<8x8x8x8xf32>
         ^
all_to_all.mlir:25:8: error: 'sdy.all_to_all' op can't apply all-to-all axis "x" to operand sharding on dimension 0
    %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{"y"}, {"x"}]> : tensor<8x8xf32>
         ^
all_to_all.mlir:29:8: error: 'sdy.all_to_all' op result sharding doesn't match expected sharding ["y"] on dimension 1
    %0 = sdy.all_to_all [{"y"}: 0->1] %arg0 out_sharding=<@m, [{"x"}, {"y":(1)2}]> : tensor<8x8xf32>
         ^
all_to_all.mlir:33:8: error: 'sdy.all_to_all' op result sharding doesn't match expected sharding ["y"] on dimension 2
    %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@m, [{}, {"x"}, {}]> : tensor<8x8x8xf32>
         ^
