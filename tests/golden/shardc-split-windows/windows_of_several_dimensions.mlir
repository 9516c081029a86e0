// RUN: --shardc-split-windows
// Sums of 7 x 7 with strides, padding and dilations (the second dimension first, which leaves fewer elements between the two); a maximum over three dimensions; bf16, summed in f32. Windows of 3 x 3,
// windows that do not overlap, and those with an own init value stay as they are.
func.func @main(%a: tensor<1x30x41x4xf32>, %b: tensor<20x20x20xi32>, %c: tensor<32x32xbf16>, %d: tensor<28x28xf32>) -> (tensor<1x24x19x4xf32>, tensor<16x16x16xi32>, tensor<28x28xbf16>, tensor<26x26xf32>, tensor<4x4xf32>, tensor<22x22xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero_b = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [0, 0], [3, 5], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 2, 1>, window_dimensions = array<i64: 1, 7, 7, 1>, window_strides = array<i64: 1, 1, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x30x41x4xf32>, tensor<f32>) -> tensor<1x24x19x4xf32>
  %1 = "stablehlo.reduce_window"(%b, %least) <{window_dimensions = array<i64: 5, 5, 5>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<20x20x20xi32>, tensor<i32>) -> tensor<16x16x16xi32>
  %2 = "stablehlo.reduce_window"(%c, %zero_b) <{window_dimensions = array<i64: 5, 5>}> ({
  ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
    %s = stablehlo.add %x, %y : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<32x32xbf16>, tensor<bf16>) -> tensor<28x28xbf16>
  %3 = "stablehlo.reduce_window"(%d, %zero) <{window_dimensions = array<i64: 3, 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<28x28xf32>, tensor<f32>) -> tensor<26x26xf32>
  %4 = "stablehlo.reduce_window"(%d, %zero) <{window_dimensions = array<i64: 7, 7>, window_strides = array<i64: 7, 7>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<28x28xf32>, tensor<f32>) -> tensor<4x4xf32>
  %5 = "stablehlo.reduce_window"(%d, %one) <{window_dimensions = array<i64: 7, 7>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<28x28xf32>, tensor<f32>) -> tensor<22x22xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x24x19x4xf32>, tensor<16x16x16xi32>, tensor<28x28xbf16>, tensor<26x26xf32>, tensor<4x4xf32>, tensor<22x22xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<1x30x41x4xf32>, %arg1: tensor<20x20x20xi32>, %arg2: tensor<32x32xbf16>, %arg3: tensor<28x28xf32>) -> (tensor<1x24x19x4xf32>, tensor<16x16x16xi32>, tensor<28x28xbf16>, tensor<26x26xf32>, tensor<4x4xf32>, tensor<22x22xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst_2) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [3, 5], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 2, 1>, window_dimensions = array<i64: 1, 1, 7, 1>, window_strides = array<i64: 1, 1, 2, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<1x30x41x4xf32>, tensor<f32>) -> tensor<1x30x19x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = "stablehlo.reduce_window"(%0, %cst_3) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 7, 1, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<1x30x19x4xf32>, tensor<f32>) -> tensor<1x24x19x4xf32>
    %c_4 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %2 = "stablehlo.reduce_window"(%arg1, %c_4) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 5, 1, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      %11 = stablehlo.maximum %arg4, %arg5 : tensor<i32>
      stablehlo.return %11 : tensor<i32>
    }) : (tensor<20x20x20xi32>, tensor<i32>) -> tensor<16x20x20xi32>
    %c_5 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %3 = "stablehlo.reduce_window"(%2, %c_5) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 5, 5>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      %11 = stablehlo.maximum %arg4, %arg5 : tensor<i32>
      stablehlo.return %11 : tensor<i32>
    }) : (tensor<16x20x20xi32>, tensor<i32>) -> tensor<16x16x16xi32>
    %4 = stablehlo.convert %arg2 : (tensor<32x32xbf16>) -> tensor<32x32xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = "stablehlo.reduce_window"(%4, %cst_6) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 5, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<32x32xf32>, tensor<f32>) -> tensor<28x32xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = "stablehlo.reduce_window"(%5, %cst_7) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<28x32xf32>, tensor<f32>) -> tensor<28x28xf32>
    %7 = stablehlo.convert %6 : (tensor<28x28xf32>) -> tensor<28x28xbf16>
    %8 = "stablehlo.reduce_window"(%arg3, %cst) <{window_dimensions = array<i64: 3, 3>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<28x28xf32>, tensor<f32>) -> tensor<26x26xf32>
    %9 = "stablehlo.reduce_window"(%arg3, %cst) <{window_dimensions = array<i64: 7, 7>, window_strides = array<i64: 7, 7>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<28x28xf32>, tensor<f32>) -> tensor<4x4xf32>
    %10 = "stablehlo.reduce_window"(%arg3, %cst_0) <{window_dimensions = array<i64: 7, 7>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %11 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<28x28xf32>, tensor<f32>) -> tensor<22x22xf32>
    return %1, %3, %7, %8, %9, %10 : tensor<1x24x19x4xf32>, tensor<16x16x16xi32>, tensor<28x28xbf16>, tensor<26x26xf32>, tensor<4x4xf32>, tensor<22x22xf32>
  }
}
