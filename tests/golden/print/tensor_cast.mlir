// RUN:
func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
  %0 = "tensor.cast"(%a) : (tensor<4xf32>) -> tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<*xf32>
  %2:2 = chlo.top_k(%1, k = 2) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
  return %0 : tensor<?xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<?xf32> {
    %cast = tensor.cast %arg0 : tensor<4xf32> to tensor<?xf32>
    %cast_0 = tensor.cast %cast : tensor<?xf32> to tensor<*xf32>
    %values, %indices = chlo.top_k(%cast_0, k = 2) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi32>)
    return %cast : tensor<?xf32>
  }
}
