// Singular values and vectors of more than 24 columns, of f32 by squares and of f64 by the polar form: tall, wide and square matrices, Hilbert's, of which most singular values are below the
// precision, one of rank one, one of zeros. Results: the values, U S V^H, U^H U and V V^H.
// tolerance: 1e-4
module @factors {
  func.func public @main(%a: tensor<40x30xf32>, %b: tensor<26x35xcomplex<f32>>, %c: tensor<33x33xf64>, %d: tensor<27x40xf64>, %e: tensor<32x26xcomplex<f64>>) -> (tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<26xf32>, tensor<26x35xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<27xf64>, tensor<27x40xf64>, tensor<27x27xf64>, tensor<27x27xf64>, tensor<26xf64>, tensor<32x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<28xf32>, tensor<36x28xf32>, tensor<28x28xf32>, tensor<28x28xf32>, tensor<26xf32>, tensor<26x26xf32>, tensor<26x26xf32>, tensor<26x26xf32>) {
    %rows = stablehlo.iota dim = 0 : tensor<40x40xf64>
    %cols = stablehlo.iota dim = 1 : tensor<40x40xf64>
    %one = stablehlo.constant dense<1.0> : tensor<40x40xf64>
    %sum = stablehlo.add %rows, %cols : tensor<40x40xf64>
    %sum_1 = stablehlo.add %sum, %one : tensor<40x40xf64>
    %hilbert = stablehlo.divide %one, %sum_1 : tensor<40x40xf64>
    %ones = stablehlo.constant dense<1.0> : tensor<36x28xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<26x26xf32>
    %s1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<40x30xf32>) -> (tensor<40x30xf32>, tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<i32>)
    %v2 = stablehlo.broadcast_in_dim %s1#1, dims = [1] : (tensor<30xf32>) -> tensor<40x30xf32>
    %v3 = stablehlo.multiply %s1#2, %v2 : tensor<40x30xf32>
    %v4 = stablehlo.dot_general %v3, %s1#3, contracting_dims = [1] x [0] : (tensor<40x30xf32>, tensor<30x30xf32>) -> tensor<40x30xf32>
    %v5 = stablehlo.dot_general %s1#2, %s1#2, contracting_dims = [0] x [0] : (tensor<40x30xf32>, tensor<40x30xf32>) -> tensor<30x30xf32>
    %v6 = stablehlo.dot_general %s1#3, %s1#3, contracting_dims = [1] x [1] : (tensor<30x30xf32>, tensor<30x30xf32>) -> tensor<30x30xf32>
    %s7:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%b) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<26x35xcomplex<f32>>) -> (tensor<26x35xcomplex<f32>>, tensor<26xf32>, tensor<26x26xcomplex<f32>>, tensor<26x35xcomplex<f32>>, tensor<i32>)
    %v8 = stablehlo.convert %s7#1 : (tensor<26xf32>) -> tensor<26xcomplex<f32>>
    %v9 = stablehlo.broadcast_in_dim %v8, dims = [1] : (tensor<26xcomplex<f32>>) -> tensor<26x26xcomplex<f32>>
    %v10 = stablehlo.multiply %s7#2, %v9 : tensor<26x26xcomplex<f32>>
    %v11 = stablehlo.dot_general %v10, %s7#3, contracting_dims = [1] x [0] : (tensor<26x26xcomplex<f32>>, tensor<26x35xcomplex<f32>>) -> tensor<26x35xcomplex<f32>>
    %v12 = chlo.conj %s7#2 : tensor<26x26xcomplex<f32>> -> tensor<26x26xcomplex<f32>>
    %v13 = chlo.conj %s7#3 : tensor<26x35xcomplex<f32>> -> tensor<26x35xcomplex<f32>>
    %v14 = stablehlo.dot_general %v12, %s7#2, contracting_dims = [0] x [0] : (tensor<26x26xcomplex<f32>>, tensor<26x26xcomplex<f32>>) -> tensor<26x26xcomplex<f32>>
    %v15 = stablehlo.dot_general %s7#3, %v13, contracting_dims = [1] x [1] : (tensor<26x35xcomplex<f32>>, tensor<26x35xcomplex<f32>>) -> tensor<26x26xcomplex<f32>>
    %s16:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%c) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<33x33xf64>) -> (tensor<33x33xf64>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<i32>)
    %v17 = stablehlo.broadcast_in_dim %s16#1, dims = [1] : (tensor<33xf64>) -> tensor<33x33xf64>
    %v18 = stablehlo.multiply %s16#2, %v17 : tensor<33x33xf64>
    %v19 = stablehlo.dot_general %v18, %s16#3, contracting_dims = [1] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v20 = stablehlo.dot_general %s16#2, %s16#2, contracting_dims = [0] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v21 = stablehlo.dot_general %s16#3, %s16#3, contracting_dims = [1] x [1] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %s22:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%d) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<27x40xf64>) -> (tensor<27x40xf64>, tensor<27xf64>, tensor<27x27xf64>, tensor<27x40xf64>, tensor<i32>)
    %v23 = stablehlo.broadcast_in_dim %s22#1, dims = [1] : (tensor<27xf64>) -> tensor<27x27xf64>
    %v24 = stablehlo.multiply %s22#2, %v23 : tensor<27x27xf64>
    %v25 = stablehlo.dot_general %v24, %s22#3, contracting_dims = [1] x [0] : (tensor<27x27xf64>, tensor<27x40xf64>) -> tensor<27x40xf64>
    %v26 = stablehlo.dot_general %s22#2, %s22#2, contracting_dims = [0] x [0] : (tensor<27x27xf64>, tensor<27x27xf64>) -> tensor<27x27xf64>
    %v27 = stablehlo.dot_general %s22#3, %s22#3, contracting_dims = [1] x [1] : (tensor<27x40xf64>, tensor<27x40xf64>) -> tensor<27x27xf64>
    %s28:5 = stablehlo.custom_call @lapack_zgesdd_ffi(%e) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<32x26xcomplex<f64>>) -> (tensor<32x26xcomplex<f64>>, tensor<26xf64>, tensor<32x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>, tensor<i32>)
    %v29 = stablehlo.convert %s28#1 : (tensor<26xf64>) -> tensor<26xcomplex<f64>>
    %v30 = stablehlo.broadcast_in_dim %v29, dims = [1] : (tensor<26xcomplex<f64>>) -> tensor<32x26xcomplex<f64>>
    %v31 = stablehlo.multiply %s28#2, %v30 : tensor<32x26xcomplex<f64>>
    %v32 = stablehlo.dot_general %v31, %s28#3, contracting_dims = [1] x [0] : (tensor<32x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>) -> tensor<32x26xcomplex<f64>>
    %v33 = chlo.conj %s28#2 : tensor<32x26xcomplex<f64>> -> tensor<32x26xcomplex<f64>>
    %v34 = chlo.conj %s28#3 : tensor<26x26xcomplex<f64>> -> tensor<26x26xcomplex<f64>>
    %v35 = stablehlo.dot_general %v33, %s28#2, contracting_dims = [0] x [0] : (tensor<32x26xcomplex<f64>>, tensor<32x26xcomplex<f64>>) -> tensor<26x26xcomplex<f64>>
    %v36 = stablehlo.dot_general %s28#3, %v34, contracting_dims = [1] x [1] : (tensor<26x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>) -> tensor<26x26xcomplex<f64>>
    %s37:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%hilbert) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<i32>)
    %v38 = stablehlo.broadcast_in_dim %s37#1, dims = [1] : (tensor<40xf64>) -> tensor<40x40xf64>
    %v39 = stablehlo.multiply %s37#2, %v38 : tensor<40x40xf64>
    %v40 = stablehlo.dot_general %v39, %s37#3, contracting_dims = [1] x [0] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %v41 = stablehlo.dot_general %s37#2, %s37#2, contracting_dims = [0] x [0] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %v42 = stablehlo.dot_general %s37#3, %s37#3, contracting_dims = [1] x [1] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %s43:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%ones) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<36x28xf32>) -> (tensor<36x28xf32>, tensor<28xf32>, tensor<36x28xf32>, tensor<28x28xf32>, tensor<i32>)
    %v44 = stablehlo.broadcast_in_dim %s43#1, dims = [1] : (tensor<28xf32>) -> tensor<36x28xf32>
    %v45 = stablehlo.multiply %s43#2, %v44 : tensor<36x28xf32>
    %v46 = stablehlo.dot_general %v45, %s43#3, contracting_dims = [1] x [0] : (tensor<36x28xf32>, tensor<28x28xf32>) -> tensor<36x28xf32>
    %v47 = stablehlo.dot_general %s43#2, %s43#2, contracting_dims = [0] x [0] : (tensor<36x28xf32>, tensor<36x28xf32>) -> tensor<28x28xf32>
    %v48 = stablehlo.dot_general %s43#3, %s43#3, contracting_dims = [1] x [1] : (tensor<28x28xf32>, tensor<28x28xf32>) -> tensor<28x28xf32>
    %s49:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%zero) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<26x26xf32>) -> (tensor<26x26xf32>, tensor<26xf32>, tensor<26x26xf32>, tensor<26x26xf32>, tensor<i32>)
    %v50 = stablehlo.broadcast_in_dim %s49#1, dims = [1] : (tensor<26xf32>) -> tensor<26x26xf32>
    %v51 = stablehlo.multiply %s49#2, %v50 : tensor<26x26xf32>
    %v52 = stablehlo.dot_general %v51, %s49#3, contracting_dims = [1] x [0] : (tensor<26x26xf32>, tensor<26x26xf32>) -> tensor<26x26xf32>
    %v53 = stablehlo.dot_general %s49#2, %s49#2, contracting_dims = [0] x [0] : (tensor<26x26xf32>, tensor<26x26xf32>) -> tensor<26x26xf32>
    %v54 = stablehlo.dot_general %s49#3, %s49#3, contracting_dims = [1] x [1] : (tensor<26x26xf32>, tensor<26x26xf32>) -> tensor<26x26xf32>
    return %s1#1, %v4, %v5, %v6, %s7#1, %v11, %v14, %v15, %s16#1, %v19, %v20, %v21, %s22#1, %v25, %v26, %v27, %s28#1, %v32, %v35, %v36, %s37#1, %v40, %v41, %v42, %s43#1, %v46, %v47, %v48, %s49#1, %v52, %v53, %v54 : tensor<30xf32>, tensor<40x30xf32>, tensor<30x30xf32>, tensor<30x30xf32>, tensor<26xf32>, tensor<26x35xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<26x26xcomplex<f32>>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<27xf64>, tensor<27x40xf64>, tensor<27x27xf64>, tensor<27x27xf64>, tensor<26xf64>, tensor<32x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>, tensor<26x26xcomplex<f64>>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<28xf32>, tensor<36x28xf32>, tensor<28x28xf32>, tensor<28x28xf32>, tensor<26xf32>, tensor<26x26xf32>, tensor<26x26xf32>, tensor<26x26xf32>
  }
}
