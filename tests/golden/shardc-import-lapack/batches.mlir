// RUN: --shardc-import-lapack
// A call that is no op of its own says of how many dimensions the batch is, where it does not yet; what has no elements is constants.
func.func @main(%arg0: tensor<2x5x4x3xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<2x0x3xf32>) -> (tensor<2x5x3xi32>, tensor<2x5x3xf32>, tensor<3xf32>, tensor<2x0xf32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {mhlo.backend_config = {}} : (tensor<2x5x4x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x5x3xi32>, tensor<2x5xi32>)
  %1:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1", other = "x"}} : (tensor<2x5x4x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x5x3xf32>)
  %2:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg1) {mhlo.backend_config = {}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  %3:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg2) {mhlo.backend_config = {}} : (tensor<2x0x3xf32>) -> (tensor<2x0x3xf32>, tensor<2x0xf32>)
  return %0#1, %1#1, %2#1, %3#1 : tensor<2x5x3xi32>, tensor<2x5x3xf32>, tensor<3xf32>, tensor<2x0xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x5x4x3xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<2x0x3xf32>) -> (tensor<2x5x3xi32>, tensor<2x5x3xf32>, tensor<3xf32>, tensor<2x0xf32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "2"}} : (tensor<2x5x4x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x5x3xi32>, tensor<2x5xi32>)
    %1:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1", other = "x"}} : (tensor<2x5x4x3xf32>) -> (tensor<2x5x4x3xf32>, tensor<2x5x3xf32>)
    %2:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg1) {mhlo.backend_config = {}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
    %cst = stablehlo.constant dense<> : tensor<2x0x3xf32>
    %cst_0 = stablehlo.constant dense<> : tensor<2x0xf32>
    return %0#1, %1#1, %2#1, %cst_0 : tensor<2x5x3xi32>, tensor<2x5x3xf32>, tensor<3xf32>, tensor<2x0xf32>
  }
}
