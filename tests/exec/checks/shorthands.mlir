// Ops that are made of others: the same answers evaluated and compiled.
func.func @einsum() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]> : tensor<3x2xf32>
  %0 = "stablehlo.einsum"(%a, %b) {einsum_config = "ij,jk->ki"} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[7.0, 16.0], [8.0, 17.0]]> : tensor<2x2xf32>
  %1 = "stablehlo.unary_einsum"(%a) {einsum_config = "ij->j"} : (tensor<2x3xf32>) -> tensor<3xf32>
  check.expect_eq_const %1, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>
  return
}
func.func @index_select() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[3, 1], [6, 4]]> : tensor<2x2xi32>
  return
}
func.func @async() {
  %a = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %2 = stablehlo.slice %x [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %2 : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  %b = stablehlo.add %a, %a : tensor<2xf32>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<1xf32>>) -> tensor<1xf32>
  check.expect_eq_const %1, dense<-2.0> : tensor<1xf32>
  check.expect_eq_const %b, dense<[2.0, -4.0]> : tensor<2xf32>
  return
}
func.func @ragged_rows() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [0.0]], [[0.0], [10.0]]]> : tensor<2x2x1xf32>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = []} : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  check.expect_eq_const %0, dense<[[1.0], [40.0], [60.0], [0.0]]> : tensor<4x1xf32>
  return
}
func.func @ragged_contraction() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]]> : tensor<3x2xf32>
  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>, precision_config = []} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2x2xf32>
  check.expect_eq_const %0, dense<[[[5.0, 1.0], [14.0, 4.0]], [[0.0, 9.0], [0.0, 18.0]]]> : tensor<2x2x2xf32>
  return
}
func.func @ragged_contraction_in_batches() {
  %a = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]]]> : tensor<2x2x1xf32>
  %s = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%a, %b, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>, precision_config = []} : (tensor<2x1x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<2x2x1x1xf32>
  check.expect_eq_const %0, dense<[[[[1.0]], [[300.0]]], [[[20.0]], [[4000.0]]]]> : tensor<2x2x1x1xf32>
  return
}
// asin(z) = (atan2(Re z, Re w), sign(Im z) Im w)
func.func @asin_acos_kernel() {
  %z = stablehlo.constant dense<[(0.5, 2.0), (-3.0, 0.25), (1.0, -1.0e-3), (30.0, -4.0)]> : tensor<4xcomplex<f32>>
  %w = "chlo._asin_acos_kernel"(%z) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %a = stablehlo.real %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %b = stablehlo.imag %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %c = stablehlo.real %w : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %d = stablehlo.imag %w : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %re = stablehlo.atan2 %a, %c : tensor<4xf32>
  %s = stablehlo.sign %b : tensor<4xf32>
  %im = stablehlo.multiply %s, %d : tensor<4xf32>
  %r = stablehlo.complex %re, %im : tensor<4xcomplex<f32>>
  %e = chlo.asin %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  check.expect_close %r, %e, max_ulp_difference = 3 : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>
  return
}
