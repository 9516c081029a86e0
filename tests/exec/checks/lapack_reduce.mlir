// Reductions to other forms and tridiagonal systems: what LAPACK's routines have computed.
func.func @hessenberg_form() {
  %a0 = stablehlo.constant dense<[[8.0, 2.0, -4.0, 4.0], [1.0, 4.0, 0.0, 2.0], [-2.0, 0.0, 6.0, -4.0], [2.0, 1.0, -2.0, -2.0]]> : tensor<4x4xf64>
  %r:3 = stablehlo.custom_call @lapack_dgehrd_ffi(%a0) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}}
      : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[[8.0, -6.0, 0.0, 0.0], [-3.0, 5.55555556, -2.3440962, -0.292335322], [-0.5, -4.56097239, -1.70867128, 1.3388724], [0.5, 0.530845632, 1.3388724, 4.15311573]]> : tensor<4x4xf64>
  check.expect_almost_eq_const %r#1, dense<[1.33333333, 1.56030937, 0.0]> : tensor<3xf64>
  check.expect_eq_const %r#2, dense<0> : tensor<i32>
  return
}
func.func @tridiagonal_form_of_the_lower_triangle() {
  %a0 = stablehlo.constant dense<[[4.0, 1.0, -2.0, 2.0], [1.0, 2.0, 0.0, 1.0], [-2.0, 0.0, 3.0, -2.0], [2.0, 1.0, -2.0, -1.0]]> : tensor<4x4xf64>
  %r:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}}
      : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[[4.0, 1.0, -2.0, 2.0], [-3.0, 3.33333333, 0.0, 1.0], [-0.5, -1.66666667, -1.32, -2.0], [0.5, 0.5, 0.906666667, 1.98666667]]> : tensor<4x4xf64>
  check.expect_almost_eq_const %r#1, dense<[4.0, 3.33333333, -1.32, 1.98666667]> : tensor<4xf64>
  check.expect_almost_eq_const %r#2, dense<[-3.0, -1.66666667, 0.906666667]> : tensor<3xf64>
  check.expect_almost_eq_const %r#3, dense<[1.33333333, 1.6, 0.0]> : tensor<3xf64>
  check.expect_eq_const %r#4, dense<0> : tensor<i32>
  return
}
func.func @tridiagonal_form_of_the_upper_triangle() {
  %a0 = stablehlo.constant dense<[[4.0, 1.0, -2.0, 2.0], [1.0, 2.0, 0.0, 1.0], [-2.0, 0.0, 3.0, -2.0], [2.0, 1.0, -2.0, -1.0]]> : tensor<4x4xf64>
  %r:5 = stablehlo.custom_call @lapack_dsytrd_ffi(%a0) {mhlo.backend_config = {uplo = 85 : ui8}}
      : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[[2.26153846, -0.092307692, -0.580322535, -0.4], [1.0, 1.18290598, 0.895806416, -0.2], [-2.0, 0.0, 5.55555556, 3.0], [2.0, 1.0, -2.0, -1.0]]> : tensor<4x4xf64>
  check.expect_almost_eq_const %r#1, dense<[2.26153846, 1.18290598, 5.55555556, -1.0]> : tensor<4xf64>
  check.expect_almost_eq_const %r#2, dense<[-0.092307692, 0.895806416, 3.0]> : tensor<3xf64>
  check.expect_almost_eq_const %r#3, dense<[0.0, 1.49613894, 1.66666667]> : tensor<3xf64>
  check.expect_eq_const %r#4, dense<0> : tensor<i32>
  return
}
func.func @real_tridiagonal_form_of_a_hermitian_lower_triangle() {
  %a0 = stablehlo.constant dense<[[(2.0, 0.0), (1.0, 1.0), (0.0, 0.5)], [(1.0, -1.0), (3.0, 0.0), (2.0, -1.0)], [(0.0, -0.5), (2.0, 1.0), (-1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %r:5 = stablehlo.custom_call @lapack_zhetrd_ffi(%a0) {mhlo.backend_config = {uplo = 76 : ui8}}
      : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<2xf64>, tensor<2xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[[(2.0, 0.0), (1.0, 1.0), (0.0, 0.5)], [(-1.5, 0.0), (3.0, 0.0), (2.0, -1.0)], [(0.068965517, -0.172413793), (2.23606798, 0.0), (-1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %r#1, dense<[2.0, 3.0, -1.0]> : tensor<3xf64>
  check.expect_almost_eq_const %r#2, dense<[-1.5, 2.23606798]> : tensor<2xf64>
  check.expect_almost_eq_const %r#3, dense<[(1.66666667, -0.666666667), (1.95611183, 0.293002011)]> : tensor<2xcomplex<f64>>
  check.expect_eq_const %r#4, dense<0> : tensor<i32>
  return
}
func.func @real_tridiagonal_form_of_a_hermitian_upper_triangle() {
  %a0 = stablehlo.constant dense<[[(2.0, 0.0), (1.0, 1.0), (0.0, 0.5)], [(1.0, -1.0), (3.0, 0.0), (2.0, -1.0)], [(0.0, -0.5), (2.0, 1.0), (-1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %r:5 = stablehlo.custom_call @lapack_zhetrd_ffi(%a0) {mhlo.backend_config = {uplo = 85 : ui8}}
      : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<3xf64>, tensor<2xf64>, tensor<2xcomplex<f64>>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[[(1.85714286, 0.0), (1.35526185, 0.0), (-0.025753083, 0.110513891)], [(1.0, -1.0), (3.14285714, 0.0), (-2.29128785, 0.0)], [(0.0, -0.5), (2.0, 1.0), (-1.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  check.expect_almost_eq_const %r#1, dense<[1.85714286, 3.14285714, -1.0]> : tensor<3xf64>
  check.expect_almost_eq_const %r#2, dense<[1.35526185, -2.29128785]> : tensor<2xf64>
  check.expect_almost_eq_const %r#3, dense<[(1.99074746, 0.135718324), (1.87287156, -0.43643578)]> : tensor<2xcomplex<f64>>
  check.expect_eq_const %r#4, dense<0> : tensor<i32>
  return
}
func.func @largest_columns_come_first() {
  %a0 = stablehlo.constant dense<[[1.0, 5.0, 3.0, 1.0], [2.0, 1.0, 4.0, 0.0], [0.0, 2.0, 9.0, 1.0]]> : tensor<3x4xf64>
  %a1 = stablehlo.constant dense<[0, 0, 0, 0]> : tensor<4xi32>
  %r:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a0, %a1) {mhlo.backend_config = {}}
      : (tensor<3x4xf64>, tensor<4xi32>) -> (tensor<3x4xf64>, tensor<4xi32>, tensor<3xf64>)
  check.expect_almost_eq_const %r#0, dense<[[-10.2956301, -3.59375769, -1.06841445, -1.16554304], [0.300850727, 4.13338912, 0.764597105, 0.680149066], [0.676914137, 0.6674858, -1.80938714, 0.422973618]]> : tensor<3x4xf64>
  check.expect_eq_const %r#1, dense<[3, 2, 1, 4]> : tensor<4xi32>
  check.expect_almost_eq_const %r#2, dense<[1.29138576, 1.38356859, 0.0]> : tensor<3xf64>
  return
}
func.func @tridiagonal_systems_with_exchanged_rows() {
  %a0 = stablehlo.constant dense<[9.0, 1.0, 4.0, 1.0]> : tensor<4xf64>
  %a1 = stablehlo.constant dense<[2.0, 1.0, 1.0, 3.0]> : tensor<4xf64>
  %a2 = stablehlo.constant dense<[1.0, 2.0, 1.0, 9.0]> : tensor<4xf64>
  %a3 = stablehlo.constant dense<[[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]]> : tensor<4x2xf64>
  %r:5 = stablehlo.custom_call @lapack_dgtsv_ffi(%a0, %a1, %a2, %a3) {mhlo.backend_config = {}}
      : (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x2xf64>, tensor<i32>)
  check.expect_almost_eq_const %r#0, dense<[9.0, 0.0, 1.0, 1.0]> : tensor<4xf64>
  check.expect_almost_eq_const %r#1, dense<[2.0, 4.0, 1.875, 3.06666667]> : tensor<4xf64>
  check.expect_almost_eq_const %r#2, dense<[1.0, 1.0, -0.125, 9.0]> : tensor<4xf64>
  check.expect_almost_eq_const %r#3, dense<[[0.347826087, 0.086956522], [0.304347826, -0.173913043], [0.673913043, 0.543478261], [1.10869565, 0.152173913]]> : tensor<4x2xf64>
  check.expect_eq_const %r#4, dense<0> : tensor<i32>
  return
}
func.func @tridiagonal_systems_that_are_singular() {
  %l = stablehlo.constant dense<[[9.0, 0.0, 0.0], [9.0, 1.0, 1.0]]> : tensor<2x3xf32>
  %d = stablehlo.constant dense<[[1.0, 0.0, 2.0], [1.0, 2.0, 1.0]]> : tensor<2x3xf32>
  %u = stablehlo.constant dense<[[1.0, 1.0, 9.0], [0.0, 2.0, 9.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<1.0> : tensor<2x3x1xf32>
  %r:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%l, %d, %u, %b) {mhlo.backend_config = {}}
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x1xf32>, tensor<2xi32>)
  check.expect_eq_const %r#4, dense<[2, 3]> : tensor<2xi32>
  return
}
func.func @marked_columns_come_before_the_largest() {
  %a0 = stablehlo.constant dense<[[1.0, 5.0, 3.0, 1.0], [2.0, 1.0, 4.0, 0.0], [0.0, 2.0, 9.0, 1.0]]> : tensor<3x4xf64>
  %a1 = stablehlo.constant dense<[0, 1, 0, 1]> : tensor<4xi32>
  %r:3 = stablehlo.custom_call @lapack_dgeqp3_ffi(%a0, %a1) {mhlo.backend_config = {}}
      : (tensor<3x4xf64>, tensor<4xi32>) -> (tensor<3x4xf64>, tensor<4xi32>, tensor<3xf64>)
  check.expect_almost_eq_const %r#0, dense<[[-5.47722558, -1.2780193, -6.75524488, -1.2780193], [0.095445115, 0.605530071, 5.55986701, -1.04591558], [0.19089023, -0.68672985, 5.4272042, 1.50755672]]> : tensor<3x4xf64>
  check.expect_eq_const %r#1, dense<[2, 4, 3, 1]> : tensor<4xi32>
  check.expect_almost_eq_const %r#2, dense<[1.91287093, 1.35906691, 0.0]> : tensor<3xf64>
  return
}
func.func @nothing_to_do() {
  %a = stablehlo.constant dense<> : tensor<0x2x2xf32>
  %b = stablehlo.constant dense<> : tensor<2x0x0xf32>
  %r:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<0x2x2xf32>) -> (tensor<0x2x2xf32>, tensor<0x2xi32>, tensor<0xi32>)
  %f:2 = stablehlo.custom_call @lapack_spotrf_ffi(%b) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x0x0xf32>) -> (tensor<2x0x0xf32>, tensor<2xi32>)
  check.expect_eq_const %r#2, dense<> : tensor<0xi32>
  check.expect_eq_const %f#1, dense<0> : tensor<2xi32>
  return
}
func.func @one_element() {
  %a = stablehlo.constant dense<[[(3.0, 4.0)]]> : tensor<1x1xcomplex<f32>>
  %h:3 = stablehlo.custom_call @lapack_cgehrd_ffi(%a) {mhlo.backend_config = {high = 1 : i32, low = 1 : i32}} : (tensor<1x1xcomplex<f32>>) -> (tensor<1x1xcomplex<f32>>, tensor<0xcomplex<f32>>, tensor<i32>)
  %t:5 = stablehlo.custom_call @lapack_chetrd_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}}
      : (tensor<1x1xcomplex<f32>>) -> (tensor<1x1xcomplex<f32>>, tensor<1xf32>, tensor<0xf32>, tensor<0xcomplex<f32>>, tensor<i32>)
  check.expect_eq_const %h#0, dense<[[(3.0, 4.0)]]> : tensor<1x1xcomplex<f32>>
  check.expect_eq_const %t#1, dense<[3.0]> : tensor<1xf32>
  return
}
