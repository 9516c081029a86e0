// A transposed operand in tiles, rows in two pieces: every piece has tiles of its own.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(
    %v7: tensor<5x11x7x20xf32>) -> (tensor<5x21x6x8xf32>) {
  %v13 = stablehlo.transpose %v7, dims = [1, 3, 0, 2] : (tensor<5x11x7x20xf32>) -> tensor<11x20x5x7xf32>
  %h4 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = "stablehlo.reduce_window"(%v13, %h4) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 2], [0, 1], [0, 1], [0, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 1, 1>, window_strides = array<i64: 3, 1, 1, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
%z26760 = sdy.manual_computation(%s) in_shardings=[<@mesh, [], unreduced={"x"}>] out_shardings=[<@mesh, [], unreduced={"x"}>] manual_axes={} (%m: tensor<f32>) {
  sdy.return %m : tensor<f32>
} : (tensor<f32>) -> tensor<f32>
    stablehlo.return %z26760 : tensor<f32>
  }) : (tensor<11x20x5x7xf32>, tensor<f32>) -> tensor<5x21x6x8xf32>
  return %v16 : tensor<5x21x6x8xf32>
}
