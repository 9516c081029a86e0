// RUN: --sdy-pad-for-divisibility
// A reversed dimension has its own elements only; the other one stays padded.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = sdy.all_slice [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<3x5xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<3x5xf32>
  %2 = sdy.all_gather [{"x"}, {"y"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 1], interior = [0, 0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<4x6xf32>
    %1 = sdy.all_slice [{"x"}, {"y"}] %0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<4x6xf32>
    %2 = stablehlo.slice %1 [0:3, 0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<4x6xf32>) -> tensor<3x6xf32>
    %3 = stablehlo.reverse %2, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<3x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %3, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<3x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %5 = sdy.all_gather [{"x"}, {"y"}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<4x6xf32>
    %6 = stablehlo.slice %5 [0:3, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x6xf32>) -> tensor<3x5xf32>
    return %6 : tensor<3x5xf32>
  }
}
