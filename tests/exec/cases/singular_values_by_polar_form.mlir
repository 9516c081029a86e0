// Singular values and vectors by the polar form: tall, wide and square matrices, Hilbert's, of which most singular values are below the precision, one of rank one, one of zeros. Results: the
// values, U S V^H, U^H U and V V^H.
// tolerance: 1e-4
module @factors {
  func.func public @main(%a: tensor<30x20xf32>, %b: tensor<17x35xcomplex<f32>>, %c: tensor<33x33xf64>) -> (tensor<20xf32>, tensor<30x20xf32>, tensor<20x20xf32>, tensor<20x20xf32>, tensor<17xf32>, tensor<17x35xcomplex<f32>>, tensor<17x17xcomplex<f32>>, tensor<17x17xcomplex<f32>>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<20xf32>, tensor<36x20xf32>, tensor<20x20xf32>, tensor<20x20xf32>, tensor<18xf32>, tensor<18x18xf32>, tensor<18x18xf32>, tensor<18x18xf32>) {
    %rows = stablehlo.iota dim = 0 : tensor<40x40xf64>
    %cols = stablehlo.iota dim = 1 : tensor<40x40xf64>
    %one = stablehlo.constant dense<1.0> : tensor<40x40xf64>
    %sum = stablehlo.add %rows, %cols : tensor<40x40xf64>
    %sum_1 = stablehlo.add %sum, %one : tensor<40x40xf64>
    %hilbert = stablehlo.divide %one, %sum_1 : tensor<40x40xf64>
    %ones = stablehlo.constant dense<1.0> : tensor<36x20xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<18x18xf32>
    %s1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<30x20xf32>) -> (tensor<30x20xf32>, tensor<20xf32>, tensor<30x20xf32>, tensor<20x20xf32>, tensor<i32>)
    %v2 = stablehlo.broadcast_in_dim %s1#1, dims = [1] : (tensor<20xf32>) -> tensor<30x20xf32>
    %v3 = stablehlo.multiply %s1#2, %v2 : tensor<30x20xf32>
    %v4 = stablehlo.dot_general %v3, %s1#3, contracting_dims = [1] x [0] : (tensor<30x20xf32>, tensor<20x20xf32>) -> tensor<30x20xf32>
    %v5 = stablehlo.dot_general %s1#2, %s1#2, contracting_dims = [0] x [0] : (tensor<30x20xf32>, tensor<30x20xf32>) -> tensor<20x20xf32>
    %v6 = stablehlo.dot_general %s1#3, %s1#3, contracting_dims = [1] x [1] : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
    %s7:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%b) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<17x35xcomplex<f32>>) -> (tensor<17x35xcomplex<f32>>, tensor<17xf32>, tensor<17x17xcomplex<f32>>, tensor<17x35xcomplex<f32>>, tensor<i32>)
    %v8 = stablehlo.convert %s7#1 : (tensor<17xf32>) -> tensor<17xcomplex<f32>>
    %v9 = stablehlo.broadcast_in_dim %v8, dims = [1] : (tensor<17xcomplex<f32>>) -> tensor<17x17xcomplex<f32>>
    %v10 = stablehlo.multiply %s7#2, %v9 : tensor<17x17xcomplex<f32>>
    %v11 = stablehlo.dot_general %v10, %s7#3, contracting_dims = [1] x [0] : (tensor<17x17xcomplex<f32>>, tensor<17x35xcomplex<f32>>) -> tensor<17x35xcomplex<f32>>
    %v12 = chlo.conj %s7#2 : tensor<17x17xcomplex<f32>> -> tensor<17x17xcomplex<f32>>
    %v13 = chlo.conj %s7#3 : tensor<17x35xcomplex<f32>> -> tensor<17x35xcomplex<f32>>
    %v14 = stablehlo.dot_general %v12, %s7#2, contracting_dims = [0] x [0] : (tensor<17x17xcomplex<f32>>, tensor<17x17xcomplex<f32>>) -> tensor<17x17xcomplex<f32>>
    %v15 = stablehlo.dot_general %s7#3, %v13, contracting_dims = [1] x [1] : (tensor<17x35xcomplex<f32>>, tensor<17x35xcomplex<f32>>) -> tensor<17x17xcomplex<f32>>
    %s16:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%c) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<33x33xf64>) -> (tensor<33x33xf64>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<i32>)
    %v17 = stablehlo.broadcast_in_dim %s16#1, dims = [1] : (tensor<33xf64>) -> tensor<33x33xf64>
    %v18 = stablehlo.multiply %s16#2, %v17 : tensor<33x33xf64>
    %v19 = stablehlo.dot_general %v18, %s16#3, contracting_dims = [1] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v20 = stablehlo.dot_general %s16#2, %s16#2, contracting_dims = [0] x [0] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %v21 = stablehlo.dot_general %s16#3, %s16#3, contracting_dims = [1] x [1] : (tensor<33x33xf64>, tensor<33x33xf64>) -> tensor<33x33xf64>
    %s22:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%hilbert) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<40x40xf64>) -> (tensor<40x40xf64>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<i32>)
    %v23 = stablehlo.broadcast_in_dim %s22#1, dims = [1] : (tensor<40xf64>) -> tensor<40x40xf64>
    %v24 = stablehlo.multiply %s22#2, %v23 : tensor<40x40xf64>
    %v25 = stablehlo.dot_general %v24, %s22#3, contracting_dims = [1] x [0] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %v26 = stablehlo.dot_general %s22#2, %s22#2, contracting_dims = [0] x [0] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %v27 = stablehlo.dot_general %s22#3, %s22#3, contracting_dims = [1] x [1] : (tensor<40x40xf64>, tensor<40x40xf64>) -> tensor<40x40xf64>
    %s28:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%ones) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<36x20xf32>) -> (tensor<36x20xf32>, tensor<20xf32>, tensor<36x20xf32>, tensor<20x20xf32>, tensor<i32>)
    %v29 = stablehlo.broadcast_in_dim %s28#1, dims = [1] : (tensor<20xf32>) -> tensor<36x20xf32>
    %v30 = stablehlo.multiply %s28#2, %v29 : tensor<36x20xf32>
    %v31 = stablehlo.dot_general %v30, %s28#3, contracting_dims = [1] x [0] : (tensor<36x20xf32>, tensor<20x20xf32>) -> tensor<36x20xf32>
    %v32 = stablehlo.dot_general %s28#2, %s28#2, contracting_dims = [0] x [0] : (tensor<36x20xf32>, tensor<36x20xf32>) -> tensor<20x20xf32>
    %v33 = stablehlo.dot_general %s28#3, %s28#3, contracting_dims = [1] x [1] : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
    %s34:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%zero) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<18x18xf32>) -> (tensor<18x18xf32>, tensor<18xf32>, tensor<18x18xf32>, tensor<18x18xf32>, tensor<i32>)
    %v35 = stablehlo.broadcast_in_dim %s34#1, dims = [1] : (tensor<18xf32>) -> tensor<18x18xf32>
    %v36 = stablehlo.multiply %s34#2, %v35 : tensor<18x18xf32>
    %v37 = stablehlo.dot_general %v36, %s34#3, contracting_dims = [1] x [0] : (tensor<18x18xf32>, tensor<18x18xf32>) -> tensor<18x18xf32>
    %v38 = stablehlo.dot_general %s34#2, %s34#2, contracting_dims = [0] x [0] : (tensor<18x18xf32>, tensor<18x18xf32>) -> tensor<18x18xf32>
    %v39 = stablehlo.dot_general %s34#3, %s34#3, contracting_dims = [1] x [1] : (tensor<18x18xf32>, tensor<18x18xf32>) -> tensor<18x18xf32>
    return %s1#1, %v4, %v5, %v6, %s7#1, %v11, %v14, %v15, %s16#1, %v19, %v20, %v21, %s22#1, %v25, %v26, %v27, %s28#1, %v31, %v32, %v33, %s34#1, %v37, %v38, %v39 : tensor<20xf32>, tensor<30x20xf32>, tensor<20x20xf32>, tensor<20x20xf32>, tensor<17xf32>, tensor<17x35xcomplex<f32>>, tensor<17x17xcomplex<f32>>, tensor<17x17xcomplex<f32>>, tensor<33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<33x33xf64>, tensor<40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<40x40xf64>, tensor<20xf32>, tensor<36x20xf32>, tensor<20x20xf32>, tensor<20x20xf32>, tensor<18xf32>, tensor<18x18xf32>, tensor<18x18xf32>, tensor<18x18xf32>
  }
}
