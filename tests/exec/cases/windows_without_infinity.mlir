// Windows that reach beyond the operand, of elements whose largest one is no infinity.
module @random {
  func.func public @main(%v8: tensor<1x1x1x1xf8E4M3B11FNUZ>) -> (tensor<3x1x4x3xf8E4M3B11FNUZ>) {
    %h0 = stablehlo.constant dense<0x7F> : tensor<f8E4M3B11FNUZ>
    %v9 = "stablehlo.reduce_window"(%v8, %h0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 2], [2, 1], [2, 2], [0, 2]]> : tensor<4x2xi64>, window_dilations = array<i64: 2, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 2, 1>, window_strides = array<i64: 1, 3, 1, 1>}> ({
    ^bb0(%l: tensor<f8E4M3B11FNUZ>, %r: tensor<f8E4M3B11FNUZ>):
      %s = stablehlo.minimum %l, %r : tensor<f8E4M3B11FNUZ>
      stablehlo.return %s : tensor<f8E4M3B11FNUZ>
    }) : (tensor<1x1x1x1xf8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>) -> tensor<3x1x4x3xf8E4M3B11FNUZ>
    return %v9 : tensor<3x1x4x3xf8E4M3B11FNUZ>
  }
}
