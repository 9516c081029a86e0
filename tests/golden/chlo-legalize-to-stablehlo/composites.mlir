// RUN: --chlo-legalize-to-stablehlo
// A composite that names a chlo op is that op, with its attributes; one that does not have the op's form, or names none, is a call.
func.func @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x6xf32>, tensor<6xf32>) {
  %0 = stablehlo.composite "chlo.erf" %arg0 {decomposition = @same, version = 1 : i32} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1:2 = stablehlo.composite "chlo.top_k" %arg0 {composite_attributes = {k = 2 : i64}, decomposition = @top, version = 1 : i32} : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %2 = stablehlo.composite "my.op" %arg0 {decomposition = @same} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = stablehlo.composite "chlo.erf" %arg0 {decomposition = @row} : (tensor<4x6xf32>) -> tensor<6xf32>
  return %0, %1#0, %1#1, %2, %3 : tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x6xf32>, tensor<6xf32>
}
func.func private @same(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  return %arg0 : tensor<4x6xf32>
}
func.func private @row(%arg0: tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = stablehlo.slice %arg0 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func private @top(%arg0: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.constant dense<0> : tensor<4x2xi32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xi32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x6xf32>, tensor<6xf32>) {
    %0 = chlo.erf %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %1 = call @same(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %2 = call @row(%arg0) : (tensor<4x6xf32>) -> tensor<6xf32>
    return %0, %values, %indices, %1, %2 : tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x6xf32>, tensor<6xf32>
  }
  func.func private @same(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    return %arg0 : tensor<4x6xf32>
  }
  func.func private @row(%arg0: tensor<4x6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @top(%arg0: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    %c = stablehlo.constant dense<0> : tensor<4x2xi32>
    return %0, %c : tensor<4x2xf32>, tensor<4x2xi32>
  }
}
