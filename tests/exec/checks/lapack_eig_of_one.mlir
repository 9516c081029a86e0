// The eigenvalue of a number is the number, if it is finite.
func.func @eigenvalue_of_one() {
  %a = stablehlo.constant dense<[[[3.5]], [[0x7F800000]], [[0.0]]]> : tensor<3x1x1xf32>
  %w:5 = stablehlo.custom_call @lapack_sgeev_ffi(%a) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>]}
      : (tensor<3x1x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1x1xcomplex<f32>>, tensor<3x1x1xcomplex<f32>>, tensor<3xi32>)
  %is_nan = stablehlo.compare NE, %w#0, %w#0, FLOAT : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xi1>
  check.expect_eq_const %is_nan, dense<[[false], [true], [false]]> : tensor<3x1xi1>
  %first = stablehlo.slice %w#0 [0:1, 0:1] : (tensor<3x1xf32>) -> tensor<1x1xf32>
  check.expect_eq_const %first, dense<[[3.5]]> : tensor<1x1xf32>
  return
}
