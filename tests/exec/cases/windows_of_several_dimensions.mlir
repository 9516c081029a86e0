// Windows of many elements over several dimensions, which are made along one dimension after the other: strides, dilations of window and image, padding, narrow floats, integers.
// tolerance: 1e-5
func.func @main(%a0: tensor<2x23x37x3xf32>, %a1: tensor<2x23x37x16xf32>, %a2: tensor<33x47xbf16>, %a3: tensor<9x10x11xf64>, %a4: tensor<40x50xi32>, %a5: tensor<3x40x29xf16>, %a6: tensor<30x30xi1>) -> (tensor<2x23x37x3xf32>, tensor<2x11x30x16xf32>, tensor<28x47xbf16>, tensor<8x10x8xf64>, tensor<27x146xi32>, tensor<3x39x15xf16>, tensor<30x30xi1>) {
%init0 = stablehlo.constant dense<0.0> : tensor<f32>
%0 = "stablehlo.reduce_window"(%a0, %init0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [3, 3], [2, 2], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 7, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) : (tensor<2x23x37x3xf32>, tensor<f32>) -> tensor<2x23x37x3xf32>
%init1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
%1 = "stablehlo.reduce_window"(%a1, %init1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [2, 1], [0, 5], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 2, 1>, window_dimensions = array<i64: 1, 5, 7, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.maximum %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) : (tensor<2x23x37x16xf32>, tensor<f32>) -> tensor<2x11x30x16xf32>
%init2 = stablehlo.constant dense<0xFF80> : tensor<bf16>
%2 = "stablehlo.reduce_window"(%a2, %init2) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 6, 6>, window_strides = array<i64: 1, 1>}> ({
^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
  %s = stablehlo.maximum %x, %y : tensor<bf16>
  stablehlo.return %s : tensor<bf16>
}) : (tensor<33x47xbf16>, tensor<bf16>) -> tensor<28x47xbf16>
%init3 = stablehlo.constant dense<1.0> : tensor<f64>
%3 = "stablehlo.reduce_window"(%a3, %init3) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[1, 1], [2, 2], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 4, 5, 4>, window_strides = array<i64: 1, 1, 1>}> ({
^bb0(%x: tensor<f64>, %y: tensor<f64>):
  %s = stablehlo.multiply %x, %y : tensor<f64>
  stablehlo.return %s : tensor<f64>
}) : (tensor<9x10x11xf64>, tensor<f64>) -> tensor<8x10x8xf64>
%init4 = stablehlo.constant dense<0> : tensor<i32>
%4 = "stablehlo.reduce_window"(%a4, %init4) <{base_dilations = array<i64: 2, 3>, padding = dense<[[4, 4], [-2, 8]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 9, 9>, window_strides = array<i64: 3, 1>}> ({
^bb0(%x: tensor<i32>, %y: tensor<i32>):
  %s = stablehlo.add %x, %y : tensor<i32>
  stablehlo.return %s : tensor<i32>
}) : (tensor<40x50xi32>, tensor<i32>) -> tensor<27x146xi32>
%init5 = stablehlo.constant dense<0x7C00> : tensor<f16>
%5 = "stablehlo.reduce_window"(%a5, %init5) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [7, 7], [5, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 3, 1>, window_dimensions = array<i64: 1, 6, 6>, window_strides = array<i64: 1, 1, 2>}> ({
^bb0(%x: tensor<f16>, %y: tensor<f16>):
  %s = stablehlo.minimum %x, %y : tensor<f16>
  stablehlo.return %s : tensor<f16>
}) : (tensor<3x40x29xf16>, tensor<f16>) -> tensor<3x39x15xf16>
%init6 = stablehlo.constant dense<false> : tensor<i1>
%6 = "stablehlo.reduce_window"(%a6, %init6) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 3], [3, 3]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 7, 7>, window_strides = array<i64: 1, 1>}> ({
^bb0(%x: tensor<i1>, %y: tensor<i1>):
  %s = stablehlo.or %x, %y : tensor<i1>
  stablehlo.return %s : tensor<i1>
}) : (tensor<30x30xi1>, tensor<i1>) -> tensor<30x30xi1>
return %0, %1, %2, %3, %4, %5, %6 : tensor<2x23x37x3xf32>, tensor<2x11x30x16xf32>, tensor<28x47xbf16>, tensor<8x10x8xf64>, tensor<27x146xi32>, tensor<3x39x15xf16>, tensor<30x30xi1>
}
