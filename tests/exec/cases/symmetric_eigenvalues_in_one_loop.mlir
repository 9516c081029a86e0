// Eigenvalues of symmetric matrices whose tridiagonal forms are solved in one loop, sizes beside powers of two; one of ones, whose reflectors come from columns below the smallest normal
// number; one of zeros. Results: the values, V diag(w) V^H, and V^H V.
// tolerance: 1e-4
module @factors {
  func.func public @main(%a: tensor<24x24xf32>, %b: tensor<33x33xcomplex<f32>>, %c: tensor<64x64xf64>) -> (tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<33xf32>, tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>, tensor<64xf64>, tensor<64x64xf64>, tensor<64x64xf64>, tensor<100xf32>, tensor<100x100xf32>, tensor<100x100xf32>, tensor<48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) {
    %ones = stablehlo.constant dense<1.0> : tensor<100x100xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<48x48xf32>
    %e1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24xf32>, tensor<i32>)
    %v2 = stablehlo.broadcast_in_dim %e1#1, dims = [1] : (tensor<24xf32>) -> tensor<24x24xf32>
    %v3 = stablehlo.multiply %e1#0, %v2 : tensor<24x24xf32>
    %v4 = stablehlo.dot_general %v3, %e1#0, contracting_dims = [1] x [1] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %v5 = stablehlo.dot_general %e1#0, %e1#0, contracting_dims = [0] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
    %e6:3 = stablehlo.custom_call @lapack_cheevd_ffi(%b) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<33x33xcomplex<f32>>) -> (tensor<33x33xcomplex<f32>>, tensor<33xf32>, tensor<i32>)
    %v7 = stablehlo.convert %e6#1 : (tensor<33xf32>) -> tensor<33xcomplex<f32>>
    %v8 = stablehlo.broadcast_in_dim %v7, dims = [1] : (tensor<33xcomplex<f32>>) -> tensor<33x33xcomplex<f32>>
    %v9 = stablehlo.multiply %e6#0, %v8 : tensor<33x33xcomplex<f32>>
    %v10 = chlo.conj %e6#0 : tensor<33x33xcomplex<f32>> -> tensor<33x33xcomplex<f32>>
    %v11 = stablehlo.dot_general %v9, %v10, contracting_dims = [1] x [1] : (tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>) -> tensor<33x33xcomplex<f32>>
    %v12 = stablehlo.dot_general %v10, %e6#0, contracting_dims = [0] x [0] : (tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>) -> tensor<33x33xcomplex<f32>>
    %e13:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%c) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<64x64xf64>) -> (tensor<64x64xf64>, tensor<64xf64>, tensor<i32>)
    %v14 = stablehlo.broadcast_in_dim %e13#1, dims = [1] : (tensor<64xf64>) -> tensor<64x64xf64>
    %v15 = stablehlo.multiply %e13#0, %v14 : tensor<64x64xf64>
    %v16 = stablehlo.dot_general %v15, %e13#0, contracting_dims = [1] x [1] : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
    %v17 = stablehlo.dot_general %e13#0, %e13#0, contracting_dims = [0] x [0] : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
    %e18:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%ones) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<100x100xf32>) -> (tensor<100x100xf32>, tensor<100xf32>, tensor<i32>)
    %v19 = stablehlo.broadcast_in_dim %e18#1, dims = [1] : (tensor<100xf32>) -> tensor<100x100xf32>
    %v20 = stablehlo.multiply %e18#0, %v19 : tensor<100x100xf32>
    %v21 = stablehlo.dot_general %v20, %e18#0, contracting_dims = [1] x [1] : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
    %v22 = stablehlo.dot_general %e18#0, %e18#0, contracting_dims = [0] x [0] : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
    %e23:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%zero) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<48x48xf32>) -> (tensor<48x48xf32>, tensor<48xf32>, tensor<i32>)
    %v24 = stablehlo.broadcast_in_dim %e23#1, dims = [1] : (tensor<48xf32>) -> tensor<48x48xf32>
    %v25 = stablehlo.multiply %e23#0, %v24 : tensor<48x48xf32>
    %v26 = stablehlo.dot_general %v25, %e23#0, contracting_dims = [1] x [1] : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
    %v27 = stablehlo.dot_general %e23#0, %e23#0, contracting_dims = [0] x [0] : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
    return %e1#1, %v4, %v5, %e6#1, %v11, %v12, %e13#1, %v16, %v17, %e18#1, %v21, %v22, %e23#1, %v26, %v27 : tensor<24xf32>, tensor<24x24xf32>, tensor<24x24xf32>, tensor<33xf32>, tensor<33x33xcomplex<f32>>, tensor<33x33xcomplex<f32>>, tensor<64xf64>, tensor<64x64xf64>, tensor<64x64xf64>, tensor<100xf32>, tensor<100x100xf32>, tensor<100x100xf32>, tensor<48xf32>, tensor<48x48xf32>, tensor<48x48xf32>
  }
}
