// Eigenvalues of symmetric matrices that are solved by halves: a sharded batch of an odd size, a complex one, and matrices whose eigenvalues are equal, in close pairs, or zero. Results: the values,
// V diag(w) V^H, and V^H V.
// tolerance: 1e-4
module @eigenvalues {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(
      %a: tensor<4x67x67xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>},
      %b: tensor<66x66xcomplex<f32>>) -> (tensor<4x67xf32>, tensor<4x67x67xf32>, tensor<4x67x67xf32>, tensor<66xf32>, tensor<66x66xcomplex<f32>>, tensor<66x66xcomplex<f32>>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>) {
    %r:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<4x67x67xf32>) -> (tensor<4x67x67xf32>, tensor<4x67xf32>, tensor<4xi32>)
    %r_w = stablehlo.broadcast_in_dim %r#1, dims = [0, 2] : (tensor<4x67xf32>) -> tensor<4x67x67xf32>
    %r_vw = stablehlo.multiply %r#0, %r_w : tensor<4x67x67xf32>
    %r_a = stablehlo.dot_general %r_vw, %r#0, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x67x67xf32>, tensor<4x67x67xf32>) -> tensor<4x67x67xf32>
    %r_i = stablehlo.dot_general %r#0, %r#0, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x67x67xf32>, tensor<4x67x67xf32>) -> tensor<4x67x67xf32>
    %c:3 = stablehlo.custom_call @lapack_cheevd_ffi(%b) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<66x66xcomplex<f32>>) -> (tensor<66x66xcomplex<f32>>, tensor<66xf32>, tensor<i32>)
    %c_v = chlo.conj %c#0 : tensor<66x66xcomplex<f32>> -> tensor<66x66xcomplex<f32>>
    %c_wt = stablehlo.convert %c#1 : (tensor<66xf32>) -> tensor<66xcomplex<f32>>
    %c_w = stablehlo.broadcast_in_dim %c_wt, dims = [1] : (tensor<66xcomplex<f32>>) -> tensor<66x66xcomplex<f32>>
    %c_vw = stablehlo.multiply %c#0, %c_w : tensor<66x66xcomplex<f32>>
    %c_a = stablehlo.dot_general %c_vw, %c_v, contracting_dims = [1] x [1] : (tensor<66x66xcomplex<f32>>, tensor<66x66xcomplex<f32>>) -> tensor<66x66xcomplex<f32>>
    %c_i = stablehlo.dot_general %c_v, %c#0, contracting_dims = [0] x [0] : (tensor<66x66xcomplex<f32>>, tensor<66x66xcomplex<f32>>) -> tensor<66x66xcomplex<f32>>
    %rows = stablehlo.iota dim = 0 : tensor<69x69xf64>
    %cols = stablehlo.iota dim = 1 : tensor<69x69xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<69x69xf64>
    %one = stablehlo.constant dense<1.0> : tensor<69x69xf64>
    %middle = stablehlo.constant dense<34.0> : tensor<69x69xf64>
    %from = stablehlo.subtract %rows, %middle : tensor<69x69xf64>
    %size = stablehlo.abs %from : tensor<69x69xf64>
    %apart = stablehlo.subtract %rows, %cols : tensor<69x69xf64>
    %distance = stablehlo.abs %apart : tensor<69x69xf64>
    %is_diagonal = stablehlo.compare EQ, %distance, %zero : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xi1>
    %is_beside = stablehlo.compare EQ, %distance, %one : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xi1>
    %beside = stablehlo.select %is_beside, %one, %zero : tensor<69x69xi1>, tensor<69x69xf64>
    // Wilkinson's, with pairs that differ in the last digits
    %pairs = stablehlo.select %is_diagonal, %size, %beside : tensor<69x69xi1>, tensor<69x69xf64>
    %identity = stablehlo.select %is_diagonal, %one, %zero : tensor<69x69xi1>, tensor<69x69xf64>
    // all equal but one
    %equal = stablehlo.add %identity, %one : tensor<69x69xf64>
    %e_pairs:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%pairs) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<69x69xf64>) -> (tensor<69x69xf64>, tensor<69xf64>, tensor<i32>)
    %e_pairs_w = stablehlo.broadcast_in_dim %e_pairs#1, dims = [1] : (tensor<69xf64>) -> tensor<69x69xf64>
    %e_pairs_vw = stablehlo.multiply %e_pairs#0, %e_pairs_w : tensor<69x69xf64>
    %e_pairs_a = stablehlo.dot_general %e_pairs_vw, %e_pairs#0, contracting_dims = [1] x [1] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_pairs_i = stablehlo.dot_general %e_pairs#0, %e_pairs#0, contracting_dims = [0] x [0] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_identity:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%identity) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<69x69xf64>) -> (tensor<69x69xf64>, tensor<69xf64>, tensor<i32>)
    %e_identity_w = stablehlo.broadcast_in_dim %e_identity#1, dims = [1] : (tensor<69xf64>) -> tensor<69x69xf64>
    %e_identity_vw = stablehlo.multiply %e_identity#0, %e_identity_w : tensor<69x69xf64>
    %e_identity_a = stablehlo.dot_general %e_identity_vw, %e_identity#0, contracting_dims = [1] x [1] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_identity_i = stablehlo.dot_general %e_identity#0, %e_identity#0, contracting_dims = [0] x [0] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_equal:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%equal) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<69x69xf64>) -> (tensor<69x69xf64>, tensor<69xf64>, tensor<i32>)
    %e_equal_w = stablehlo.broadcast_in_dim %e_equal#1, dims = [1] : (tensor<69xf64>) -> tensor<69x69xf64>
    %e_equal_vw = stablehlo.multiply %e_equal#0, %e_equal_w : tensor<69x69xf64>
    %e_equal_a = stablehlo.dot_general %e_equal_vw, %e_equal#0, contracting_dims = [1] x [1] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_equal_i = stablehlo.dot_general %e_equal#0, %e_equal#0, contracting_dims = [0] x [0] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_zero:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%zero) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<69x69xf64>) -> (tensor<69x69xf64>, tensor<69xf64>, tensor<i32>)
    %e_zero_w = stablehlo.broadcast_in_dim %e_zero#1, dims = [1] : (tensor<69xf64>) -> tensor<69x69xf64>
    %e_zero_vw = stablehlo.multiply %e_zero#0, %e_zero_w : tensor<69x69xf64>
    %e_zero_a = stablehlo.dot_general %e_zero_vw, %e_zero#0, contracting_dims = [1] x [1] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    %e_zero_i = stablehlo.dot_general %e_zero#0, %e_zero#0, contracting_dims = [0] x [0] : (tensor<69x69xf64>, tensor<69x69xf64>) -> tensor<69x69xf64>
    return %r#1, %r_a, %r_i, %c#1, %c_a, %c_i, %e_pairs#1, %e_pairs_a, %e_pairs_i, %e_identity#1, %e_identity_a, %e_identity_i, %e_equal#1, %e_equal_a, %e_equal_i, %e_zero#1, %e_zero_a, %e_zero_i : tensor<4x67xf32>, tensor<4x67x67xf32>, tensor<4x67x67xf32>, tensor<66xf32>, tensor<66x66xcomplex<f32>>, tensor<66x66xcomplex<f32>>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>, tensor<69xf64>, tensor<69x69xf64>, tensor<69x69xf64>
  }
}
