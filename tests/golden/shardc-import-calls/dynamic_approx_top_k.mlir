// RUN: --shardc-import-calls
// JAX's approx_max_k of a number of candidates that is an operand: where all shapes are known, it is that of their types
func.func @larger(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func public @main(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>, %arg2: tensor<2xi32>, %arg3: tensor<?x8xf32>, %arg4: tensor<?x8xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.iota dim = 1 : tensor<2x8xi32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%arg0, %0, %inf, %none, %arg1) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 9.500000e-01 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64}} : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %2:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%arg0, %0, %inf, %none, %arg1, %arg2, %arg2) {called_computations = [@larger], indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>, mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 1 : i64}} : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %3:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%arg3, %arg4, %inf, %none, %arg1) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 1 : i64}} : (tensor<?x8xf32>, tensor<?x8xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
  return %1#0, %2#1, %3#0, %3#1 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>
}
// ---- expect
module {
  func.func @larger(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func public @main(%arg0: tensor<2x8xf32>, %arg1: tensor<i32>, %arg2: tensor<2xi32>, %arg3: tensor<?x8xf32>, %arg4: tensor<?x8xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>) {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.iota dim = 1 : tensor<2x8xi32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %1:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%arg3, %arg4, %cst, %c, %arg1) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 1 : i64}} : (tensor<?x8xf32>, tensor<?x8xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
    return %values, %indices_1, %1#0, %1#1 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>
  }
}
