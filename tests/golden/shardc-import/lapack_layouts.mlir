// RUN: --shardc-import
// A routine's call keeps the layouts that it is recognised by; one of another function, or of other layouts, gets its arrays turned.
func.func @main(%arg0: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  %1:2 = stablehlo.custom_call @other(%arg0) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  return %0#1, %1#1 : tensor<2xf32>, tensor<2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], shardc.keeps_layouts} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %3:2 = stablehlo.custom_call @other(%2) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
    return %0#1, %3#1 : tensor<2xf32>, tensor<2xf32>
  }
}
