// Singular values and vectors of more than 24 columns, of f32 by squares and of f64 by the polar form: tall, wide and square matrices, Hilbert's, of which most singular values are below the
// precision, one of rank one, one of zeros. Results: the values, U S V^H, U^H U and V V^H.
// tolerance: 1e-4
module @factors {
  func.func public @main(%a: tensor<40x30xf32>, %b: tensor<26x35xcomplex<f32>>, %c: tensor<33x33xf64>) -> (tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<26xf32>, tensor<26x35xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>) {
    %rows = stablehlo.iota dim = 0 : tensor<33x33xf64>
    %cols = stablehlo.iota dim = 1 : tensor<33x33xf64>
    %one = stablehlo.constant dense<1.0> : tensor<33x33xf64>
    %sum = stablehlo.add %rows, %cols : tensor<33x33xf64>
    %sum_1 = stablehlo.add %sum, %one : tensor<33x33xf64>
    %hilbert = stablehlo.divide %one, %sum_1 : tensor<33x33xf64>
    %ones = stablehlo.constant dense<1.0> : tensor<40x30xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<40x30xf32>
    %s1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<40x30xf32>) -> (tensor<40x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<i32>)
    %v2 = stablehlo.broadcast_in_dim %s1#1, dims = [1] : (tensor<30xf32>) -> tensor<40x30xf32>
    %v3 = stablehlo.multiply %s1#2, %v2 : tensor<40x30xf32>
    %v4 = stablehlo.dot_general %v3, %s1#3, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x30xf32>) -> tensor<40x30xf32>
    %v5 = stablehlo.dot_general %s1#2, %s1#2, contracting_dims = [0] x [0] : (tensor<40x30xf32>, tensor<40x30xf32>) -> tensor<30x30xf32>
    %v6 = stablehlo.dot_general %s1#3, %s1#3, contracting_dims = [1] x [1] : (tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>
    %s7:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%ones) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<40x30xf32>) -> (tensor<40x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<i32>)
    %v8 = stablehlo.broadcast_in_dim %s7#1, dims = [1] : (tensor<30xf32>) -> tensor<40x30xf32>
    %v9 = stablehlo.multiply %s7#2, %v8 : tensor<40x30xf32>
    %v10 = stablehlo.dot_general %v9, %s7#3, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x30xf32>) -> tensor<40x30xf32>
    %v11 = stablehlo.dot_general %s7#2, %s7#2, contracting_dims = [0] x [0] : (tensor<40x30xf32>, tensor<40x30xf32>) -> tensor<30x30xf32>
    %v12 = stablehlo.dot_general %s7#3, %s7#3, contracting_dims = [1] x [1] : (tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>
    %s13:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%zero) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<40x30xf32>) -> (tensor<40x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<i32>)
    %v14 = stablehlo.broadcast_in_dim %s13#1, dims = [1] : (tensor<30xf32>) -> tensor<40x30xf32>
    %v15 = stablehlo.multiply %s13#2, %v14 : tensor<40x30xf32>
    %v16 = stablehlo.dot_general %v15, %s13#3, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x30xf32>) -> tensor<40x30xf32>
    %v17 = stablehlo.dot_general %s13#2, %s13#2, contracting_dims = [0] x [0] : (tensor<40x30xf32>, tensor<40x30xf32>) -> tensor<30x30xf32>
    %v18 = stablehlo.dot_general %s13#3, %s13#3, contracting_dims = [1] x [1] : (tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>
    %s19:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%b) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<26x35xcomplex<f32>>) -> (tensor<26x35xcomplex<f32>>, tensor<26xf32>, tensor<26x26xcomplex<f32>>, tensor<26x35xcomplex<f32>>, tensor<i32>)
    %v20 = stablehlo.convert %s19#1 : (tensor<26xf32>) -> tensor<26xcomplex<f32>>
    %v21 = stablehlo.broadcast_in_dim %v20, dims = [1] : (tensor<26xcomplex<f32>>) -> tensor<26x26xcomplex<f32>>
    %v22 = stablehlo.multiply %s19#2, %v21 : tensor<26x26xcomplex<f32>>
    %v23 = stablehlo.dot_general %v22, %s19#3, contracting_dims = [1] x [0] : (tensor<26x26xcomplex<f32>>, tensor<26x35xcomplex<f32>>) -> tensor<26x35xcomplex<f32>>
    %v24 = chlo.conj %s19#2 : tensor<26x26xcomplex<f32>> -> tensor<26x26xcomplex<f32>>
    %v25 = chlo.conj %s19#3 : tensor<26x35xcomplex<f32>> -> tensor<26x35xcomplex<f32>>
    %v26 = stablehlo.dot_general %v24, %s19#2, contracting_dims = [0] x [0] : (tensor<26x26xcomplex<f32>>, tensor<26x26xcomplex<f32>>) -> tensor<26x26xcomplex<f32>>
    %v27 = stablehlo.dot_general %s19#3, %v25, contracting_dims = [1] x [1] : (tensor<26x35xcomplex<f32>>, tensor<26x35xcomplex<f32>>) -> tensor<26x26xcomplex<f32>>
    %s28:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%c) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<33x33xf64>) -> (tensor<33x33xf64>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<i32>)
    %v29 = stablehlo.broadcast_in_dim %s28#1, dims = [1] : (tensor<33xf64>) -> tensor<33x33xf64>
    %v30 = stablehlo.multiply %s28#2, %v29 : tensor<33x33xf64>
    %v31 = stablehlo.dot_general %v30, %s28#3, contracting_dims = [1] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v32 = stablehlo.dot_general %s28#2, %s28#2, contracting_dims = [0] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v33 = stablehlo.dot_general %s28#3, %s28#3, contracting_dims = [1] x [1] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %s34:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%hilbert) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<33x33xf64>) -> (tensor<33x33xf64>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<i32>)
    %v35 = stablehlo.broadcast_in_dim %s34#1, dims = [1] : (tensor<33xf64>) -> tensor<33x33xf64>
    %v36 = stablehlo.multiply %s34#2, %v35 : tensor<33x33xf64>
    %v37 = stablehlo.dot_general %v36, %s34#3, contracting_dims = [1] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v38 = stablehlo.dot_general %s34#2, %s34#2, contracting_dims = [0] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v39 = stablehlo.dot_general %s34#3, %s34#3, contracting_dims = [1] x [1] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    return %s1#1, %v4, %v5, %v6, %s7#1, %v10, %v11, %v12, %s13#1, %v16, %v17, %v18, %s19#1, %v23, %v26, %v27, %s28#1, %v31, %v32, %v33, %s34#1, %v37, %v38, %v39 : tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<26xf32>, tensor<26x35xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>
  }
}
