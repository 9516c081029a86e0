// RUN: --shardc-partition
// A callback on each device's part gets the tiles as they lie.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.negate %arg0 : tensor<8x4xf32>
  stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%0) {has_side_effect = true} : (tensor<8x4xf32>) -> ()
  %1 = stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%arg1, %arg0) {has_side_effect = true} : (!stablehlo.token, tensor<8x4xf32>) -> !stablehlo.token
  return %1 : !stablehlo.token
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%0) {has_side_effect = true} : (tensor<4x4xf32>) -> ()
    %1 = stablehlo.custom_call @xla_ffi_partitioned_python_cpu_callback(%arg1, %arg0) {has_side_effect = true} : (!stablehlo.token, tensor<4x4xf32>) -> !stablehlo.token
    return %1 : !stablehlo.token
  }
}
