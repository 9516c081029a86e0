// RUN: --shardc-import-calls
// candidates are exact: top_k, or a sort by the call's comparator; what only marks a value goes
func.func @larger(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
func.func @smaller(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
func.func public @main(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x9xf32>, tensor<2x3xf32>, tensor<1x8xi32>) {
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %inf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.iota dim = 1 : tensor<2x8xi32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%arg0, %0, %inf, %none) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 9.500000e-01 : f32, reduction_dim = 1 : i64, top_k = 3 : i64}} : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %2:2 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1, %inf, %none) {called_computations = [@larger], mhlo.backend_config = {aggregate_to_topk = false, reduction_dim = 1 : i64, top_k = 3 : i64}} : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x9xf32>, tensor<2x9xi32>)
  %3:2 = stablehlo.custom_call @ApproxTopK(%arg0, %0, %inf, %none) {called_computations = [@smaller]} : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x8xf32>, tensor<1x8xi32>)
  %4 = stablehlo.custom_call @annotate_device_placement(%1#0) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = stablehlo.custom_call @LayoutConstraint(%4) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = stablehlo.custom_call @InspectSharding(%5) {has_side_effect = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1#0, %1#1, %2#0, %5, %3#1 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x9xf32>, tensor<2x3xf32>, tensor<1x8xi32>
}
// ---- expect
module {
  func.func @larger(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @smaller(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func public @main(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x9xf32>, tensor<2x3xf32>, tensor<1x8xi32>) {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.iota dim = 1 : tensor<2x8xi32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %1:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %8 = stablehlo.compare GT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<2x8xf32>, tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
    %2 = stablehlo.pad %1#0, %cst, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x9xf32>
    %3 = stablehlo.pad %1#1, %c, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<2x8xi32>, tensor<i32>) -> tensor<2x9xi32>
    %4:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
      %8 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }) : (tensor<2x8xf32>, tensor<2x8xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
    %5 = stablehlo.slice %4#0 [0:1, 0:8] : (tensor<2x8xf32>) -> tensor<1x8xf32>
    %6 = stablehlo.slice %4#1 [0:1, 0:8] : (tensor<2x8xi32>) -> tensor<1x8xi32>
    %7 = stablehlo.custom_call @InspectSharding(%values) {has_side_effect = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %values, %indices, %2, %values, %6 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x9xf32>, tensor<2x3xf32>, tensor<1x8xi32>
  }
}
