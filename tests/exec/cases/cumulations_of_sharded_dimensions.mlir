// tolerance: 2e-5
// Cumulative sums, products and maxima along sharded dimensions, even and uneven, in both directions, of products and with a sum behind them.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %c: tensor<5x37xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %k: tensor<40xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %h: tensor<3x48x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>})
    -> (tensor<64x6xf32>, tensor<64x6xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<40xi32>, tensor<40xi32>, tensor<3x48x4xbf16>, tensor<3x48x4xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %lowest = stablehlo.constant dense<-2147483648> : tensor<i32>
  %hnone = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %ab = stablehlo.multiply %a, %b : tensor<64x6xf32>
  %0 = "stablehlo.reduce_window"(%ab, %zero) <{padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 64, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%p0: tensor<f32>, %q0: tensor<f32>):
    %s0 = stablehlo.add %p0, %q0 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<64x6xf32>, tensor<f32>) -> tensor<64x6xf32>
  %1 = stablehlo.add %0, %b : tensor<64x6xf32>
  %2 = "stablehlo.reduce_window"(%a, %least) <{padding = dense<[[0, 63], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 64, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%p2: tensor<f32>, %q2: tensor<f32>):
    %s2 = stablehlo.maximum %p2, %q2 : tensor<f32>
    stablehlo.return %s2 : tensor<f32>
  }) : (tensor<64x6xf32>, tensor<f32>) -> tensor<64x6xf32>
  %small = stablehlo.tanh %c : tensor<5x37xf32>
  %3 = "stablehlo.reduce_window"(%small, %one) <{padding = dense<[[0, 0], [36, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 37>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%p3: tensor<f32>, %q3: tensor<f32>):
    %s3 = stablehlo.multiply %p3, %q3 : tensor<f32>
    stablehlo.return %s3 : tensor<f32>
  }) : (tensor<5x37xf32>, tensor<f32>) -> tensor<5x37xf32>
  %4 = "stablehlo.reduce_window"(%c, %zero) <{padding = dense<[[0, 0], [0, 36]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 37>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%p4: tensor<f32>, %q4: tensor<f32>):
    %s4 = stablehlo.add %p4, %q4 : tensor<f32>
    stablehlo.return %s4 : tensor<f32>
  }) : (tensor<5x37xf32>, tensor<f32>) -> tensor<5x37xf32>
  %5 = "stablehlo.reduce_window"(%k, %none) <{padding = dense<[[39, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 40>, window_strides = array<i64: 1>}> ({
  ^bb0(%p5: tensor<i32>, %q5: tensor<i32>):
    %s5 = stablehlo.add %p5, %q5 : tensor<i32>
    stablehlo.return %s5 : tensor<i32>
  }) : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
  %6 = "stablehlo.reduce_window"(%k, %lowest) <{padding = dense<[[0, 39]]> : tensor<1x2xi64>, window_dimensions = array<i64: 40>, window_strides = array<i64: 1>}> ({
  ^bb0(%p6: tensor<i32>, %q6: tensor<i32>):
    %s6 = stablehlo.maximum %p6, %q6 : tensor<i32>
    stablehlo.return %s6 : tensor<i32>
  }) : (tensor<40xi32>, tensor<i32>) -> tensor<40xi32>
  %7 = "stablehlo.reduce_window"(%h, %hnone) <{padding = dense<[[0, 0], [47, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 48, 1>, window_strides = array<i64: 1, 1, 1>}> ({
  ^bb0(%p7: tensor<bf16>, %q7: tensor<bf16>):
    %s7 = stablehlo.maximum %p7, %q7 : tensor<bf16>
    stablehlo.return %s7 : tensor<bf16>
  }) : (tensor<3x48x4xbf16>, tensor<bf16>) -> tensor<3x48x4xbf16>
  %8 = "stablehlo.reduce_window"(%h, %hnone) <{padding = dense<[[0, 0], [0, 47], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 48, 1>, window_strides = array<i64: 1, 1, 1>}> ({
  ^bb0(%p8: tensor<bf16>, %q8: tensor<bf16>):
    %s8 = stablehlo.maximum %p8, %q8 : tensor<bf16>
    stablehlo.return %s8 : tensor<bf16>
  }) : (tensor<3x48x4xbf16>, tensor<bf16>) -> tensor<3x48x4xbf16>
  return %1, %2, %3, %4, %5, %6, %7, %8 : tensor<64x6xf32>, tensor<64x6xf32>, tensor<5x37xf32>, tensor<5x37xf32>, tensor<40xi32>, tensor<40xi32>, tensor<3x48x4xbf16>, tensor<3x48x4xbf16>
}
