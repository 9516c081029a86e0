// Epilogues of a product and of a cumulative sum behind reshapes.
// tolerance: 1e-5
func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x36xf32>, %r: tensor<2x12x36xf32>, %x: tensor<6x20xf32>, %s: tensor<120xf32>) -> (tensor<2x12x36xf32>, tensor<120xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x40xf32>, tensor<40x36xf32>) -> tensor<24x36xf32>
  %1 = stablehlo.reshape %0 : (tensor<24x36xf32>) -> tensor<2x12x36xf32>
  %2 = stablehlo.add %1, %r : tensor<2x12x36xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [19, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 20>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<6x20xf32>, tensor<f32>) -> tensor<6x20xf32>
  %4 = stablehlo.reshape %3 : (tensor<6x20xf32>) -> tensor<120xf32>
  %5 = stablehlo.multiply %4, %s : tensor<120xf32>
  return %2, %5 : tensor<2x12x36xf32>, tensor<120xf32>
}
