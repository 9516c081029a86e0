// RUN: not --symbol-dce
// A collective's result has the mesh and the rank of its operand, and the sharding that its axes make of the operand's.
sdy.mesh @m = <["x"=2, "y"=4]>
sdy.mesh @n = <["x"=2, "y"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>
sdy.mesh @same = <["x"=2, "y"=4]>
func.func @no_sharding(%arg0: tensor<8xf32>) {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @meshes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@n, [{}]> : tensor<8xf32>
  return
}
func.func @gather_rank(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @gather_unknown(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_gather [{"z"}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @gather_twice(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) {
  %0 = sdy.all_gather [{"x"}, {"x"}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return
}
func.func @gather_not_minor(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}]>}) {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@m, [{"y"}]> : tensor<8xf32>
  return
}
func.func @gather_part_is_right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}]>}) {
  %0 = sdy.all_gather [{"y":(2)2}] %arg0 out_sharding=<@m, [{"x", "y":(1)2}]> : tensor<8xf32>
  return
}
func.func @slice_result(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_slice [{"y"}] %arg0 out_sharding=<@m, [{"y", "x"}]> : tensor<8xf32>
  return
}
func.func @reduce_other(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @reduce_order(%arg0: tensor<8xf32>) {
  %0 = sdy.all_reduce {"y", "x"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
  return
}
func.func @reduce_sharded(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return
}
func.func @permute_size(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"y"}]> : tensor<8xf32>
  return
}
func.func @permute_order_is_right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@n, [{"y":(1)2}]> : tensor<8xf32>
  return
}
func.func @permute_names(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@same, [{"x"}]> : tensor<8xf32>
  return
}
func.func @to_unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
  return
}
func.func @to_maximum(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
  return
}
func.func @replicated_to_none(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.replicated_to_unreduced {} %arg0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
  return
}
// ---- expect
collectives.mlir:7:8: error: 'sdy.all_gather' op collective on operand without sharding
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
collectives.mlir:11:8: error: 'sdy.all_gather' op result mesh does not match operand mesh
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@n, [{}]> : tensor<8xf32>
         ^
collectives.mlir:10:19: note: operand mesh: #sdy.mesh<["x"=2, "y"=4]>
  func.func @meshes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
                    ^
collectives.mlir:15:8: error: 'sdy.all_gather' op result sharding has rank 1 but collective axes has rank 2
    %0 = sdy.all_gather [{"x"}, {}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
collectives.mlir:19:8: error: 'sdy.all_gather' op unknown axis name: "z"
    %0 = sdy.all_gather [{"z"}] %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
collectives.mlir:23:8: error: 'sdy.all_gather' op duplicate axis ref: "x"
    %0 = sdy.all_gather [{"x"}, {"x"}] %arg0 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
         ^
collectives.mlir:27:8: error: 'sdy.all_gather' op can't apply gathering axis "x" to operand sharding on dimension 0
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@m, [{"y"}]> : tensor<8xf32>
         ^
collectives.mlir:35:8: error: 'sdy.all_slice' op result sharding doesn't match expected sharding ["x", "y"] on dimension 0
    %0 = sdy.all_slice [{"y"}] %arg0 out_sharding=<@m, [{"y", "x"}]> : tensor<8xf32>
         ^
collectives.mlir:39:8: error: 'sdy.all_reduce' op operand and result shardings are not equivalent
    %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
collectives.mlir:43:8: error: 'sdy.all_reduce' op reduction axes are not ordered w.r.t. mesh
    %0 = sdy.all_reduce {"y", "x"} %arg0 out_sharding=<@m, [{}]> : tensor<8xf32>
         ^
collectives.mlir:47:8: error: 'sdy.all_reduce' op reduction axis "x" overlaps with operand dimension sharding or replicated axes
    %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
         ^
collectives.mlir:51:8: error: 'sdy.collective_permute' op sharded size of result doesn't match operand on dimension 0: 4 != 2
    %0 = sdy.collective_permute %arg0 out_sharding=<@m, [{"y"}]> : tensor<8xf32>
         ^
collectives.mlir:59:8: error: 'sdy.collective_permute' op result mesh name is different but same device ids as operand
    %0 = sdy.collective_permute %arg0 out_sharding=<@same, [{"x"}]> : tensor<8xf32>
         ^
collectives.mlir:58:26: note: operand mesh: #sdy.mesh<["x"=2, "y"=4]>
  func.func @permute_names(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
                           ^
collectives.mlir:63:8: error: 'sdy.sharded_to_unreduced' op out_unreduced_axes should be in_unreduced_axes + sharded_to_unreduced_axes
    %0 = sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@m, [{}], unreduced={"y"}> : tensor<8xf32>
         ^
collectives.mlir:67:8: error: 'sdy.sharded_to_unreduced' op out_sharding reduction_op must be SUM
    %0 = sdy.sharded_to_unreduced [{"x"}] %arg0 out_sharding=<@m, [{}], unreduced=max{"x"}> : tensor<8xf32>
         ^
collectives.mlir:71:8: error: 'sdy.replicated_to_unreduced' op r2u axes must not be empty
    %0 = sdy.replicated_to_unreduced {} %arg0 out_sharding=<@m, [{"x"}]> : tensor<8xf32>
         ^
