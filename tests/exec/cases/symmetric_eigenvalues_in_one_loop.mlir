// Eigenvalues of symmetric matrices whose tridiagonal forms are solved in one loop; one of ones, whose reflectors come from columns below the smallest normal number; one of zeros. Results: the
// values, V diag(w) V^H, and V^H V.
// tolerance: 1e-4
module @factors {
  func.func public @main(%a: tensor<24x24xf32>, %b: tensor<33x33xcomplex<f32>>, %c: tensor<40x40xf64>) -> (tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<33xf32>, tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>) {
    %ones = stablehlo.constant dense<1.0> : tensor<24x24xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<24x24xf32>
    %e1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24xf32>, tensor<i32>)
    %v2 = stablehlo.broadcast_in_dim %e1#1, dims = [1] : (tensor<24xf32>) -> tensor<24x24xf32>
    %v3 = stablehlo.multiply %e1#0, %v2 : tensor<24x24xf32>
    %v4 = stablehlo.dot_general %v3, %e1#0, contracting_dims = [1] x [1] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %v5 = stablehlo.dot_general %e1#0, %e1#0, contracting_dims = [0] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %e6:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%ones) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24xf32>, tensor<i32>)
    %v7 = stablehlo.broadcast_in_dim %e6#1, dims = [1] : (tensor<24xf32>) -> tensor<24x24xf32>
    %v8 = stablehlo.multiply %e6#0, %v7 : tensor<24x24xf32>
    %v9 = stablehlo.dot_general %v8, %e6#0, contracting_dims = [1] x [1] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %v10 = stablehlo.dot_general %e6#0, %e6#0, contracting_dims = [0] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %e11:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%zero) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24xf32>, tensor<i32>)
    %v12 = stablehlo.broadcast_in_dim %e11#1, dims = [1] : (tensor<24xf32>) -> tensor<24x24xf32>
    %v13 = stablehlo.multiply %e11#0, %v12 : tensor<24x24xf32>
    %v14 = stablehlo.dot_general %v13, %e11#0, contracting_dims = [1] x [1] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %v15 = stablehlo.dot_general %e11#0, %e11#0, contracting_dims = [0] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %e16:3 = stablehlo.custom_call @lapack_cheevd_ffi(%b) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<33x33xcomplex<f32>>) -> (tensor<33x33xcomplex<f32>>, tensor<33xf32>, tensor<i32>)
    %v17 = stablehlo.convert %e16#1 : (tensor<33xf32>) -> tensor<33xcomplex<f32>>
    %v18 = stablehlo.broadcast_in_dim %v17, dims = [1] : (tensor<33xcomplex<f32>>) -> tensor<33x33xcomplex<f32>>
    %v19 = stablehlo.multiply %e16#0, %v18 : tensor<33x33xcomplex<f32>>
    %v20 = chlo.conj %e16#0 : tensor<33x33xcomplex<f32>> -> tensor<33x33xcomplex<f32>>
    %v21 = stablehlo.dot_general %v19, %v20, contracting_dims = [1] x [1] : (tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>) -> tensor<33x33xcomplex<f32>>
    %v22 = stablehlo.dot_general %v20, %e16#0, contracting_dims = [0] x [0] : (tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>) -> tensor<33x33xcomplex<f32>>
    %e23:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%c) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<40xf64>, tensor<i32>)
    %v24 = stablehlo.broadcast_in_dim %e23#1, dims = [1] : (tensor<40xf64>) -> tensor<40x40xf64>
    %v25 = stablehlo.multiply %e23#0, %v24 : tensor<40x40xf64>
    %v26 = stablehlo.dot_general %v25, %e23#0, contracting_dims = [1] x [1] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %v27 = stablehlo.dot_general %e23#0, %e23#0, contracting_dims = [0] x [0] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    return %e1#1, %v4, %v5, %e6#1, %v9, %v10, %e11#1, %v14, %v15, %e16#1, %v21, %v22, %e23#1, %v26, %v27 : tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<33xf32>, tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>
  }
}
