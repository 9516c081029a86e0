// RUN: --stablehlo-refine-shapes --symbol-dce --canonicalize
func.func @main(%a: tensor<8x3xf32>, %b: tensor<3xf32>) -> (tensor<?x?xf32>, tensor<?xi32>) {
  %0:2 = call @f(%a, %b) : (tensor<8x3xf32>, tensor<3xf32>) -> (tensor<?x?xf32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?xi32>
}
func.func private @f(%arg0: tensor<8x3xf32>, %arg1: tensor<3xf32>) -> (tensor<?x?xf32>, tensor<?xi32>) {
  %x = tensor.cast %arg0 : tensor<8x3xf32> to tensor<?x?xf32>
  %y = tensor.cast %arg1 : tensor<3xf32> to tensor<?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.add %x, %0 : tensor<?x?xf32>
  %count = stablehlo.multiply %n1, %m1 : tensor<1xi32>
  %2 = stablehlo.dynamic_iota %count, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %1, %2 : tensor<?x?xf32>, tensor<?xi32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x3xf32>, %arg1: tensor<3xf32>) -> (tensor<8x3xf32>, tensor<24xi32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<8x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8x3xf32>
    %2 = stablehlo.iota dim = 0 : tensor<24xi32>
    return %1, %2 : tensor<8x3xf32>, tensor<24xi32>
  }
}
