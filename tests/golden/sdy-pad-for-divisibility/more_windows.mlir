// RUN: --sdy-pad-for-divisibility
sdy.mesh @mesh = <["x"=4]>
func.func @spatial(%arg0: tensor<1x7x2xf32>, %arg1: tensor<3x2x2xf32>) -> tensor<1x4x2xf32> {
  %0 = sdy.all_slice [{}, {"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<1x7x2xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<1x7x2xf32>
  %2 = stablehlo.exponential %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<1x7x2xf32>
  %3 = stablehlo.convolution(%2, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x2xf32>, tensor<3x2x2xf32>) -> tensor<1x4x2xf32>
  return %3 : tensor<1x4x2xf32>
}
func.func @negative_high(%arg0: tensor<1x7x2xf32>, %arg1: tensor<3x1x2xf32>) -> tensor<1x4x2xf32> {
  %0 = sdy.all_slice [{}, {"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<1x7x2xf32>
  %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, -1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x7x2xf32>, tensor<3x1x2xf32>) -> tensor<1x4x2xf32>
  return %1 : tensor<1x4x2xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @spatial(%arg0: tensor<1x7x2xf32>, %arg1: tensor<3x2x2xf32>) -> tensor<1x4x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<1x7x2xf32>, tensor<f32>) -> tensor<1x8x2xf32>
    %1 = sdy.all_slice [{}, {"x"}, {}] %0 out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<1x8x2xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<1x8x2xf32>
    %3 = stablehlo.exponential %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<1x8x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<1x8x2xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<i32>) -> tensor<1x8x2xi32>
    %6 = stablehlo.compare LT, %4, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x8x2xi32>, tensor<1x8x2xi32>) -> tensor<1x8x2xi1>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<f32>) -> tensor<1x8x2xf32>
    %8 = stablehlo.select %6, %3, %7 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : tensor<1x8x2xi1>, tensor<1x8x2xf32>
    %9 = stablehlo.convolution(%8, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x2xf32>) -> tensor<1x4x2xf32>
    return %9 : tensor<1x4x2xf32>
  }
  func.func @negative_high(%arg0: tensor<1x7x2xf32>, %arg1: tensor<3x1x2xf32>) -> tensor<1x4x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<1x7x2xf32>, tensor<f32>) -> tensor<1x8x2xf32>
    %1 = sdy.all_slice [{}, {"x"}, {}] %0 out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<1x8x2xf32>
    %2 = stablehlo.slice %1 [0:1, 0:7, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {}]>]>} : (tensor<1x8x2xf32>) -> tensor<1x7x2xf32>
    %3 = stablehlo.convolution(%2, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, -1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x7x2xf32>, tensor<3x1x2xf32>) -> tensor<1x4x2xf32>
    return %3 : tensor<1x4x2xf32>
  }
}
