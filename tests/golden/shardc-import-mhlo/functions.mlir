// RUN: --shardc-import-mhlo
// Functions become ops; a call whose types the function does not take stays.
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%arg0) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @mhlo.tan(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @mhlo.erf(%arg1) : (tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
    %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
    %1 = stablehlo.tan %0 : tensor<4xf32>
    %2 = stablehlo.custom_call @mhlo.erf(%arg1) : (tensor<4xi32>) -> tensor<4xi32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
  }
}
