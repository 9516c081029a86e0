// RUN: --shardc-split-scans
// A cumulative sum of one long row, upwards; a maximum of three rows, downwards. A row that no part divides, and one with an own init value, stay as they are.
func.func @main(%a: tensor<16400xf32>, %b: tensor<16384x3xi32>, %c: tensor<16411xf32>) -> (tensor<16400xf32>, tensor<16384x3xi32>, tensor<16411xf32>, tensor<16400xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[16399, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16400>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16400xf32>, tensor<f32>) -> tensor<16400xf32>
  %1 = "stablehlo.reduce_window"(%b, %least) <{padding = dense<[[0, 16383], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 16384, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.maximum %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<16384x3xi32>, tensor<i32>) -> tensor<16384x3xi32>
  %2 = "stablehlo.reduce_window"(%c, %zero) <{padding = dense<[[16410, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16411>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16411xf32>, tensor<f32>) -> tensor<16411xf32>
  %3 = "stablehlo.reduce_window"(%a, %one) <{padding = dense<[[16399, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16400>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16400xf32>, tensor<f32>) -> tensor<16400xf32>
  return %0, %1, %2, %3 : tensor<16400xf32>, tensor<16384x3xi32>, tensor<16411xf32>, tensor<16400xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<16400xf32>, %arg1: tensor<16384x3xi32>, %arg2: tensor<16411xf32>) -> (tensor<16400xf32>, tensor<16384x3xi32>, tensor<16411xf32>, tensor<16400xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0 = stablehlo.reshape %arg0 : (tensor<16400xf32>) -> tensor<40x410xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<40x410xf32>, tensor<f32>) -> tensor<40xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = "stablehlo.reduce_window"(%1, %cst_2) <{padding = dense<[[39, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 40>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %18 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
    %3 = stablehlo.pad %2, %cst_2, low = [1], high = [-1], interior = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<40xf32>) -> tensor<40x410xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = "stablehlo.reduce_window"(%0, %cst_3) <{padding = dense<[[0, 0], [409, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 410>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %18 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<40x410xf32>, tensor<f32>) -> tensor<40x410xf32>
    %6 = stablehlo.add %4, %5 : tensor<40x410xf32>
    %7 = stablehlo.reshape %6 : (tensor<40x410xf32>) -> tensor<16400xf32>
    %8 = stablehlo.reshape %arg1 : (tensor<16384x3xi32>) -> tensor<32x512x3xi32>
    %c_4 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %9 = stablehlo.reduce(%8 init: %c_4) applies stablehlo.maximum across dimensions = [1] : (tensor<32x512x3xi32>, tensor<i32>) -> tensor<32x3xi32>
    %c_5 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %10 = "stablehlo.reduce_window"(%9, %c_5) <{padding = dense<[[0, 31], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 32, 1>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %18 = stablehlo.maximum %arg3, %arg4 : tensor<i32>
      stablehlo.return %18 : tensor<i32>
    }) : (tensor<32x3xi32>, tensor<i32>) -> tensor<32x3xi32>
    %11 = stablehlo.pad %10, %c_5, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<32x3xi32>, tensor<i32>) -> tensor<32x3xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<32x3xi32>) -> tensor<32x512x3xi32>
    %c_6 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %13 = "stablehlo.reduce_window"(%8, %c_6) <{padding = dense<[[0, 0], [0, 511], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 512, 1>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %18 = stablehlo.maximum %arg3, %arg4 : tensor<i32>
      stablehlo.return %18 : tensor<i32>
    }) : (tensor<32x512x3xi32>, tensor<i32>) -> tensor<32x512x3xi32>
    %14 = stablehlo.maximum %13, %12 : tensor<32x512x3xi32>
    %15 = stablehlo.reshape %14 : (tensor<32x512x3xi32>) -> tensor<16384x3xi32>
    %16 = "stablehlo.reduce_window"(%arg2, %cst) <{padding = dense<[[16410, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16411>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %18 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<16411xf32>, tensor<f32>) -> tensor<16411xf32>
    %17 = "stablehlo.reduce_window"(%arg0, %cst_0) <{padding = dense<[[16399, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 16400>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %18 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<16400xf32>, tensor<f32>) -> tensor<16400xf32>
    return %7, %15, %16, %17 : tensor<16400xf32>, tensor<16384x3xi32>, tensor<16411xf32>, tensor<16400xf32>
  }
}
