// Selections whose windows are large and follow each other closely: borders on either side, a
// stride, equal elements, the last of them selected, an init value, sums and maxima; windows of a hundred places.
// tolerance: 1e-6
func.func public @main(%x: tensor<2x11x13x5xf32>, %u: tensor<2x11x13x5xf32>, %i: tensor<40xi32>, %v: tensor<17xi32>,
    %y: tensor<3x20x21xf64>, %t: tensor<3x3x2xf64>)
    -> (tensor<2x11x13x5xf32>, tensor<40xi32>, tensor<3x20x21xf64>) {
  %z = stablehlo.constant dense<0.25> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %u, %z) <{padding = dense<[[0, 0], [2, 2], [1, 3], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 5, 5, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x11x13x5xf32>, tensor<2x11x13x5xf32>, tensor<f32>) -> tensor<2x11x13x5xf32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %1 = "stablehlo.select_and_scatter"(%i, %v, %n) <{padding = dense<[[3, 3]]> : tensor<1x2xi64>, window_dimensions = array<i64: 13>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %b, %a : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<40xi32>, tensor<17xi32>, tensor<i32>) -> tensor<40xi32>
  %d = stablehlo.constant dense<-0.5> : tensor<f64>
  %2 = "stablehlo.select_and_scatter"(%y, %t, %d) <{window_dimensions = array<i64: 1, 10, 11>, window_strides = array<i64: 1, 5, 8>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.compare LE, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<3x20x21xf64>, tensor<3x3x2xf64>, tensor<f64>) -> tensor<3x20x21xf64>
  return %0, %1, %2 : tensor<2x11x13x5xf32>, tensor<40xi32>, tensor<3x20x21xf64>
}
