// RUN: not --symbol-dce
// Constraints, reshards and reductions keep how unreduced axes are combined, and make values unreduced as sums only.
sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["x"=2, "z"=2]>
func.func @changed(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x", "y"}>}) {
  %0 = sdy.sharding_constraint %arg0 <@m, [{}], unreduced=min{"y"}> : tensor<8xf32>
  return
}
func.func @added(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{}], unreduced=min{"y"}> : tensor<8xf32>
  return
}
func.func @behind_barrier(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %1 = sdy.reshard %0 <@m, [{}], unreduced={"x"}> : tensor<8xf32>
  return
}
func.func @dropped_is_right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) {
  %0 = sdy.reshard %arg0 <@m, [{"x"}]> : tensor<8xf32>
  return
}
func.func @no_source_is_right(%arg0: tensor<8xf32>) {
  %0 = sdy.reshard %arg0 <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return
}
func.func @other_mesh_is_right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{}]>}) {
  %0 = sdy.reshard %arg0 <@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return
}
func.func @all_reduce(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x"}>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @all_reduce_is_right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{"x", "y"}>}) {
  %0 = sdy.all_reduce max {"x"} %arg0 out_sharding=<@m, [{}], unreduced=max{"y"}> : tensor<8xf32>
  return
}
func.func @all_reduce_adds(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
  return
}
func.func @reduce_scatter(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=min{"x"}>}) {
  %0 = sdy.reduce_scatter [{"x"}] %arg0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return
}
// ---- expect
unreduced_kinds.mlir:6:8: error: 'sdy.sharding_constraint' op cannot change the reduction operator of kept unreduced axes from max to min.
    %0 = sdy.sharding_constraint %arg0 <@m, [{}], unreduced=min{"y"}> : tensor<8xf32>
         ^
unreduced_kinds.mlir:10:8: error: 'sdy.reshard' op cannot introduce 'min' unreduced axes. Expected 'sum'.
    %0 = sdy.reshard %arg0 <@m, [{}], unreduced=min{"y"}> : tensor<8xf32>
         ^
unreduced_kinds.mlir:15:8: error: 'sdy.reshard' op cannot change the reduction operator of kept unreduced axes from max to sum.
    %1 = sdy.reshard %0 <@m, [{}], unreduced={"x"}> : tensor<8xf32>
         ^
unreduced_kinds.mlir:31:8: error: 'sdy.all_reduce' op cannot reduce 'max' unreduced axes. Expected 'sum'.
    %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
unreduced_kinds.mlir:39:8: error: 'sdy.all_reduce' op cannot add new unreduced axis 'y'.
    %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
         ^
unreduced_kinds.mlir:43:8: error: 'sdy.reduce_scatter' op cannot reduce 'min' unreduced axes. Expected 'sum'.
    %0 = sdy.reduce_scatter [{"x"}] %arg0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
         ^
