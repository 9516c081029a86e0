// RUN: not --symbol-dce
// Lists of axes that a sharding names are not empty, nor are a mesh's device ids.
sdy.mesh @m = <["x"=2]>
sdy.mesh @n = <["x"=2], device_ids=[]>
func.func @replicated(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={}>}) { return }
func.func @unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{}>}) { return }
func.func @all_to_all(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = sdy.all_to_all [{}: 0->1] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
  return
}
// ---- expect
empty_lists.mlir:4:15: error: custom op 'sdy.mesh' expected integer value in device_ids
  sdy.mesh @n = <["x"=2], device_ids=[]>
                ^
empty_lists.mlir:5:96: error: expected string, found '}'
  func.func @replicated(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={}>}) { return }
                                                                                                 ^
empty_lists.mlir:5:96: error: custom op 'func.func' failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`
  func.func @replicated(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={}>}) { return }
                                                                                                 ^
empty_lists.mlir:5:96: error: custom op 'func.func' failed to parse axis list which is expected to be an `ArrayRef<AxisRefAttr>`
  func.func @replicated(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={}>}) { return }
                                                                                                 ^
empty_lists.mlir:5:96: error: custom op 'func.func' failed to parse Sdy_TensorSharding parameter 'replicated_axes'
  func.func @replicated(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], replicated={}>}) { return }
                                                                                                 ^
empty_lists.mlir:6:97: error: expected string, found '}'
  func.func @unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{}>}) { return }
                                                                                                  ^
empty_lists.mlir:6:97: error: custom op 'func.func' failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`
  func.func @unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{}>}) { return }
                                                                                                  ^
empty_lists.mlir:6:97: error: custom op 'func.func' failed to parse axis list which is expected to be an `ArrayRef<AxisRefAttr>`
  func.func @unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{}>}) { return }
                                                                                                  ^
empty_lists.mlir:6:97: error: custom op 'func.func' failed to parse Sdy_TensorSharding parameter 'unreduced_axes'
  func.func @unreduced(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced=max{}>}) { return }
                                                                                                  ^
empty_lists.mlir:8:25: error: expected string, found '}'
    %0 = sdy.all_to_all [{}: 0->1] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
                          ^
empty_lists.mlir:8:25: error: custom op 'sdy.all_to_all' failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`
    %0 = sdy.all_to_all [{}: 0->1] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
                          ^
empty_lists.mlir:8:25: error: custom op 'sdy.all_to_all' failed to parse axis list which is expected to be an `ArrayRef<AxisRefAttr>`
    %0 = sdy.all_to_all [{}: 0->1] %arg0 out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
                          ^
