// Windows with strides, and elements between others, over dimensions that the strides do not
// divide: selections, sums, zeros in between along the last and other dimensions, transposed.
// tolerance: 1e-5
func.func public @main(
    %a: tensor<2x17x21x20xf32>, %g: tensor<2x8x7x20xf32>, %i: tensor<3x23x37xi32>, %h: tensor<3x11x18xi32>,
    %b: tensor<9x11x7xf64>, %c: tensor<41x65xbf16>)
    -> (tensor<2x17x21x20xf32>, tensor<3x23x37xi32>, tensor<7x31x17xf64>, tensor<122x129xbf16>, tensor<9x12x3xf64>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %g, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %x = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %x = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %x : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 3, 1>} : (tensor<2x17x21x20xf32>, tensor<2x8x7x20xf32>, tensor<f32>) -> tensor<2x17x21x20xf32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %1 = "stablehlo.select_and_scatter"(%i, %h, %n) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %x = stablehlo.compare GE, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %x = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %x : tensor<i32>
  }) {window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<3x23x37xi32>, tensor<3x11x18xi32>, tensor<i32>) -> tensor<3x23x37xi32>
  %zd = stablehlo.constant dense<0.0> : tensor<f64>
  %2 = stablehlo.pad %b, %zd, low = [0, 0, 0], high = [0, 0, 0], interior = [1, 2, 0] : (tensor<9x11x7xf64>, tensor<f64>) -> tensor<17x31x7xf64>
  %3 = stablehlo.transpose %2, dims = [2, 1, 0] : (tensor<17x31x7xf64>) -> tensor<7x31x17xf64>
  %zb = stablehlo.constant dense<0.0> : tensor<bf16>
  %4 = stablehlo.pad %c, %zb, low = [1, 0], high = [0, 0], interior = [2, 1] : (tensor<41x65xbf16>, tensor<bf16>) -> tensor<122x129xbf16>
  %5 = "stablehlo.reduce_window"(%b, %zd) ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %x = stablehlo.add %p, %q : tensor<f64>
    stablehlo.return %x : tensor<f64>
  }) {window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>, base_dilations = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [2, 2], [0, 0]]> : tensor<3x2xi64>} : (tensor<9x11x7xf64>, tensor<f64>) -> tensor<9x12x3xf64>
  return %0, %1, %3, %4, %5 : tensor<2x17x21x20xf32>, tensor<3x23x37xi32>, tensor<7x31x17xf64>, tensor<122x129xbf16>, tensor<9x12x3xf64>
}
