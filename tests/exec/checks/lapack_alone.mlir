// Factors of a matrix, bit for bit the same alone and among others, one of which is done at once and one of which takes longer.
func.func @eight() {
  %i = stablehlo.iota dim = 0 : tensor<256xf32>
  %k = stablehlo.constant dense<1.7> : tensor<256xf32>
  %x = stablehlo.multiply %i, %k : tensor<256xf32>
  %s = stablehlo.sine %x : tensor<256xf32>
  %a0 = stablehlo.reshape %s : (tensor<256xf32>) -> tensor<4x8x8xf32>
  %at = stablehlo.transpose %a0, dims = [0, 2, 1] : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %a1 = stablehlo.add %a0, %at : tensor<4x8x8xf32>
  %r = stablehlo.iota dim = 1 : tensor<4x8x8xi32>
  %c = stablehlo.iota dim = 2 : tensor<4x8x8xi32>
  %m = stablehlo.iota dim = 0 : tensor<4x8x8xi32>
  %one = stablehlo.constant dense<1> : tensor<4x8x8xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<4x8x8xf32>
  %off = stablehlo.compare NE, %r, %c : (tensor<4x8x8xi32>, tensor<4x8x8xi32>) -> tensor<4x8x8xi1>
  %second = stablehlo.compare EQ, %m, %one : (tensor<4x8x8xi32>, tensor<4x8x8xi32>) -> tensor<4x8x8xi1>
  %nil = stablehlo.and %off, %second : tensor<4x8x8xi1>
  %a = stablehlo.select %nil, %zero, %a1 : tensor<4x8x8xi1>, tensor<4x8x8xf32>
  %qr:2 = stablehlo.custom_call @Qr(%a) {} : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>)
  %qr_in0 = stablehlo.slice %a [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %qr_0:2 = stablehlo.custom_call @Qr(%qr_in0) {} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  %qr_0_0 = stablehlo.slice %qr#0 [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %qr_0_0, %qr_0#0 : tensor<1x8x8xf32>
  %qr_0_1 = stablehlo.slice %qr#1 [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %qr_0_1, %qr_0#1 : tensor<1x8xf32>
  %qr_in1 = stablehlo.slice %a [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %qr_1:2 = stablehlo.custom_call @Qr(%qr_in1) {} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  %qr_1_0 = stablehlo.slice %qr#0 [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %qr_1_0, %qr_1#0 : tensor<1x8x8xf32>
  %qr_1_1 = stablehlo.slice %qr#1 [1:2, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %qr_1_1, %qr_1#1 : tensor<1x8xf32>
  %qr_in2 = stablehlo.slice %a [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %qr_2:2 = stablehlo.custom_call @Qr(%qr_in2) {} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  %qr_2_0 = stablehlo.slice %qr#0 [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %qr_2_0, %qr_2#0 : tensor<1x8x8xf32>
  %qr_2_1 = stablehlo.slice %qr#1 [2:3, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %qr_2_1, %qr_2#1 : tensor<1x8xf32>
  %qr_in3 = stablehlo.slice %a [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %qr_3:2 = stablehlo.custom_call @Qr(%qr_in3) {} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>)
  %qr_3_0 = stablehlo.slice %qr#0 [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %qr_3_0, %qr_3#0 : tensor<1x8x8xf32>
  %qr_3_1 = stablehlo.slice %qr#1 [3:4, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %qr_3_1, %qr_3#1 : tensor<1x8xf32>
  %eigh:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>, tensor<4xi32>)
  %eigh_in0 = stablehlo.slice %a [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %eigh_0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1xi32>)
  %eigh_0_0 = stablehlo.slice %eigh#0 [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %eigh_0_0, %eigh_0#0 : tensor<1x8x8xf32>
  %eigh_0_1 = stablehlo.slice %eigh#1 [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %eigh_0_1, %eigh_0#1 : tensor<1x8xf32>
  %eigh_0_2 = stablehlo.slice %eigh#2 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_0_2, %eigh_0#2 : tensor<1xi32>
  %eigh_in1 = stablehlo.slice %a [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %eigh_1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in1) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1xi32>)
  %eigh_1_0 = stablehlo.slice %eigh#0 [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %eigh_1_0, %eigh_1#0 : tensor<1x8x8xf32>
  %eigh_1_1 = stablehlo.slice %eigh#1 [1:2, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %eigh_1_1, %eigh_1#1 : tensor<1x8xf32>
  %eigh_1_2 = stablehlo.slice %eigh#2 [1:2] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_1_2, %eigh_1#2 : tensor<1xi32>
  %eigh_in2 = stablehlo.slice %a [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %eigh_2:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in2) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1xi32>)
  %eigh_2_0 = stablehlo.slice %eigh#0 [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %eigh_2_0, %eigh_2#0 : tensor<1x8x8xf32>
  %eigh_2_1 = stablehlo.slice %eigh#1 [2:3, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %eigh_2_1, %eigh_2#1 : tensor<1x8xf32>
  %eigh_2_2 = stablehlo.slice %eigh#2 [2:3] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_2_2, %eigh_2#2 : tensor<1xi32>
  %eigh_in3 = stablehlo.slice %a [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %eigh_3:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in3) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1xi32>)
  %eigh_3_0 = stablehlo.slice %eigh#0 [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %eigh_3_0, %eigh_3#0 : tensor<1x8x8xf32>
  %eigh_3_1 = stablehlo.slice %eigh#1 [3:4, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %eigh_3_1, %eigh_3#1 : tensor<1x8xf32>
  %eigh_3_2 = stablehlo.slice %eigh#2 [3:4] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_3_2, %eigh_3#2 : tensor<1xi32>
  %svd:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>, tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<4xi32>)
  %svd_in0 = stablehlo.slice %a [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %svd_0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%svd_in0) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xi32>)
  %svd_0_0 = stablehlo.slice %svd#0 [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_0_0, %svd_0#0 : tensor<1x8x8xf32>
  %svd_0_1 = stablehlo.slice %svd#1 [0:1, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %svd_0_1, %svd_0#1 : tensor<1x8xf32>
  %svd_0_2 = stablehlo.slice %svd#2 [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_0_2, %svd_0#2 : tensor<1x8x8xf32>
  %svd_0_3 = stablehlo.slice %svd#3 [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_0_3, %svd_0#3 : tensor<1x8x8xf32>
  %svd_0_4 = stablehlo.slice %svd#4 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %svd_0_4, %svd_0#4 : tensor<1xi32>
  %svd_in1 = stablehlo.slice %a [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %svd_1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%svd_in1) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xi32>)
  %svd_1_0 = stablehlo.slice %svd#0 [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_1_0, %svd_1#0 : tensor<1x8x8xf32>
  %svd_1_1 = stablehlo.slice %svd#1 [1:2, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %svd_1_1, %svd_1#1 : tensor<1x8xf32>
  %svd_1_2 = stablehlo.slice %svd#2 [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_1_2, %svd_1#2 : tensor<1x8x8xf32>
  %svd_1_3 = stablehlo.slice %svd#3 [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_1_3, %svd_1#3 : tensor<1x8x8xf32>
  %svd_1_4 = stablehlo.slice %svd#4 [1:2] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %svd_1_4, %svd_1#4 : tensor<1xi32>
  %svd_in2 = stablehlo.slice %a [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %svd_2:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%svd_in2) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xi32>)
  %svd_2_0 = stablehlo.slice %svd#0 [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_2_0, %svd_2#0 : tensor<1x8x8xf32>
  %svd_2_1 = stablehlo.slice %svd#1 [2:3, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %svd_2_1, %svd_2#1 : tensor<1x8xf32>
  %svd_2_2 = stablehlo.slice %svd#2 [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_2_2, %svd_2#2 : tensor<1x8x8xf32>
  %svd_2_3 = stablehlo.slice %svd#3 [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_2_3, %svd_2#3 : tensor<1x8x8xf32>
  %svd_2_4 = stablehlo.slice %svd#4 [2:3] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %svd_2_4, %svd_2#4 : tensor<1xi32>
  %svd_in3 = stablehlo.slice %a [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %svd_3:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%svd_in3) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xi32>)
  %svd_3_0 = stablehlo.slice %svd#0 [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_3_0, %svd_3#0 : tensor<1x8x8xf32>
  %svd_3_1 = stablehlo.slice %svd#1 [3:4, 0:8] : (tensor<4x8xf32>) -> tensor<1x8xf32>
  check.expect_eq %svd_3_1, %svd_3#1 : tensor<1x8xf32>
  %svd_3_2 = stablehlo.slice %svd#2 [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_3_2, %svd_3#2 : tensor<1x8x8xf32>
  %svd_3_3 = stablehlo.slice %svd#3 [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %svd_3_3, %svd_3#3 : tensor<1x8x8xf32>
  %svd_3_4 = stablehlo.slice %svd#4 [3:4] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %svd_3_4, %svd_3#4 : tensor<1xi32>
  %hess:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {low = 1 : i32, high = 8 : i32}} : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x7xf32>, tensor<4xi32>)
  %hess_in0 = stablehlo.slice %a [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %hess_0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in0) {mhlo.backend_config = {low = 1 : i32, high = 8 : i32}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x7xf32>, tensor<1xi32>)
  %hess_0_0 = stablehlo.slice %hess#0 [0:1, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %hess_0_0, %hess_0#0 : tensor<1x8x8xf32>
  %hess_0_1 = stablehlo.slice %hess#1 [0:1, 0:7] : (tensor<4x7xf32>) -> tensor<1x7xf32>
  check.expect_eq %hess_0_1, %hess_0#1 : tensor<1x7xf32>
  %hess_0_2 = stablehlo.slice %hess#2 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %hess_0_2, %hess_0#2 : tensor<1xi32>
  %hess_in1 = stablehlo.slice %a [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %hess_1:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in1) {mhlo.backend_config = {low = 1 : i32, high = 8 : i32}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x7xf32>, tensor<1xi32>)
  %hess_1_0 = stablehlo.slice %hess#0 [1:2, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %hess_1_0, %hess_1#0 : tensor<1x8x8xf32>
  %hess_1_1 = stablehlo.slice %hess#1 [1:2, 0:7] : (tensor<4x7xf32>) -> tensor<1x7xf32>
  check.expect_eq %hess_1_1, %hess_1#1 : tensor<1x7xf32>
  %hess_1_2 = stablehlo.slice %hess#2 [1:2] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %hess_1_2, %hess_1#2 : tensor<1xi32>
  %hess_in2 = stablehlo.slice %a [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %hess_2:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in2) {mhlo.backend_config = {low = 1 : i32, high = 8 : i32}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x7xf32>, tensor<1xi32>)
  %hess_2_0 = stablehlo.slice %hess#0 [2:3, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %hess_2_0, %hess_2#0 : tensor<1x8x8xf32>
  %hess_2_1 = stablehlo.slice %hess#1 [2:3, 0:7] : (tensor<4x7xf32>) -> tensor<1x7xf32>
  check.expect_eq %hess_2_1, %hess_2#1 : tensor<1x7xf32>
  %hess_2_2 = stablehlo.slice %hess#2 [2:3] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %hess_2_2, %hess_2#2 : tensor<1xi32>
  %hess_in3 = stablehlo.slice %a [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  %hess_3:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in3) {mhlo.backend_config = {low = 1 : i32, high = 8 : i32}} : (tensor<1x8x8xf32>) -> (tensor<1x8x8xf32>, tensor<1x7xf32>, tensor<1xi32>)
  %hess_3_0 = stablehlo.slice %hess#0 [3:4, 0:8, 0:8] : (tensor<4x8x8xf32>) -> tensor<1x8x8xf32>
  check.expect_eq %hess_3_0, %hess_3#0 : tensor<1x8x8xf32>
  %hess_3_1 = stablehlo.slice %hess#1 [3:4, 0:7] : (tensor<4x7xf32>) -> tensor<1x7xf32>
  check.expect_eq %hess_3_1, %hess_3#1 : tensor<1x7xf32>
  %hess_3_2 = stablehlo.slice %hess#2 [3:4] : (tensor<4xi32>) -> tensor<1xi32>
  check.expect_eq %hess_3_2, %hess_3#2 : tensor<1xi32>
  return
}
func.func @thirteen() {
  %i = stablehlo.iota dim = 0 : tensor<1352xf32>
  %k = stablehlo.constant dense<1.7> : tensor<1352xf32>
  %x = stablehlo.multiply %i, %k : tensor<1352xf32>
  %s = stablehlo.sine %x : tensor<1352xf32>
  %a0 = stablehlo.reshape %s : (tensor<1352xf32>) -> tensor<8x13x13xf32>
  %at = stablehlo.transpose %a0, dims = [0, 2, 1] : (tensor<8x13x13xf32>) -> tensor<8x13x13xf32>
  %a1 = stablehlo.add %a0, %at : tensor<8x13x13xf32>
  %r = stablehlo.iota dim = 1 : tensor<8x13x13xi32>
  %c = stablehlo.iota dim = 2 : tensor<8x13x13xi32>
  %m = stablehlo.iota dim = 0 : tensor<8x13x13xi32>
  %one = stablehlo.constant dense<1> : tensor<8x13x13xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<8x13x13xf32>
  %off = stablehlo.compare NE, %r, %c : (tensor<8x13x13xi32>, tensor<8x13x13xi32>) -> tensor<8x13x13xi1>
  %second = stablehlo.compare EQ, %m, %one : (tensor<8x13x13xi32>, tensor<8x13x13xi32>) -> tensor<8x13x13xi1>
  %nil = stablehlo.and %off, %second : tensor<8x13x13xi1>
  %a = stablehlo.select %nil, %zero, %a1 : tensor<8x13x13xi1>, tensor<8x13x13xf32>
  %eigh:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<8x13x13xf32>) -> (tensor<8x13x13xf32>, tensor<8x13xf32>, tensor<8xi32>)
  %eigh_in0 = stablehlo.slice %a [0:1, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_0_0 = stablehlo.slice %eigh#0 [0:1, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_0_0, %eigh_0#0 : tensor<1x13x13xf32>
  %eigh_0_1 = stablehlo.slice %eigh#1 [0:1, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_0_1, %eigh_0#1 : tensor<1x13xf32>
  %eigh_0_2 = stablehlo.slice %eigh#2 [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_0_2, %eigh_0#2 : tensor<1xi32>
  %eigh_in1 = stablehlo.slice %a [1:2, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in1) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_1_0 = stablehlo.slice %eigh#0 [1:2, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_1_0, %eigh_1#0 : tensor<1x13x13xf32>
  %eigh_1_1 = stablehlo.slice %eigh#1 [1:2, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_1_1, %eigh_1#1 : tensor<1x13xf32>
  %eigh_1_2 = stablehlo.slice %eigh#2 [1:2] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_1_2, %eigh_1#2 : tensor<1xi32>
  %eigh_in2 = stablehlo.slice %a [2:3, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_2:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in2) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_2_0 = stablehlo.slice %eigh#0 [2:3, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_2_0, %eigh_2#0 : tensor<1x13x13xf32>
  %eigh_2_1 = stablehlo.slice %eigh#1 [2:3, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_2_1, %eigh_2#1 : tensor<1x13xf32>
  %eigh_2_2 = stablehlo.slice %eigh#2 [2:3] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_2_2, %eigh_2#2 : tensor<1xi32>
  %eigh_in3 = stablehlo.slice %a [3:4, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_3:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in3) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_3_0 = stablehlo.slice %eigh#0 [3:4, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_3_0, %eigh_3#0 : tensor<1x13x13xf32>
  %eigh_3_1 = stablehlo.slice %eigh#1 [3:4, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_3_1, %eigh_3#1 : tensor<1x13xf32>
  %eigh_3_2 = stablehlo.slice %eigh#2 [3:4] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_3_2, %eigh_3#2 : tensor<1xi32>
  %eigh_in4 = stablehlo.slice %a [4:5, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_4:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in4) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_4_0 = stablehlo.slice %eigh#0 [4:5, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_4_0, %eigh_4#0 : tensor<1x13x13xf32>
  %eigh_4_1 = stablehlo.slice %eigh#1 [4:5, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_4_1, %eigh_4#1 : tensor<1x13xf32>
  %eigh_4_2 = stablehlo.slice %eigh#2 [4:5] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_4_2, %eigh_4#2 : tensor<1xi32>
  %eigh_in5 = stablehlo.slice %a [5:6, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_5:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in5) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_5_0 = stablehlo.slice %eigh#0 [5:6, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_5_0, %eigh_5#0 : tensor<1x13x13xf32>
  %eigh_5_1 = stablehlo.slice %eigh#1 [5:6, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_5_1, %eigh_5#1 : tensor<1x13xf32>
  %eigh_5_2 = stablehlo.slice %eigh#2 [5:6] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_5_2, %eigh_5#2 : tensor<1xi32>
  %eigh_in6 = stablehlo.slice %a [6:7, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_6:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in6) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_6_0 = stablehlo.slice %eigh#0 [6:7, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_6_0, %eigh_6#0 : tensor<1x13x13xf32>
  %eigh_6_1 = stablehlo.slice %eigh#1 [6:7, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_6_1, %eigh_6#1 : tensor<1x13xf32>
  %eigh_6_2 = stablehlo.slice %eigh#2 [6:7] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_6_2, %eigh_6#2 : tensor<1xi32>
  %eigh_in7 = stablehlo.slice %a [7:8, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %eigh_7:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%eigh_in7) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x13xf32>, tensor<1xi32>)
  %eigh_7_0 = stablehlo.slice %eigh#0 [7:8, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %eigh_7_0, %eigh_7#0 : tensor<1x13x13xf32>
  %eigh_7_1 = stablehlo.slice %eigh#1 [7:8, 0:13] : (tensor<8x13xf32>) -> tensor<1x13xf32>
  check.expect_eq %eigh_7_1, %eigh_7#1 : tensor<1x13xf32>
  %eigh_7_2 = stablehlo.slice %eigh#2 [7:8] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %eigh_7_2, %eigh_7#2 : tensor<1xi32>
  %hess:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<8x13x13xf32>) -> (tensor<8x13x13xf32>, tensor<8x12xf32>, tensor<8xi32>)
  %hess_in0 = stablehlo.slice %a [0:1, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in0) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_0_0 = stablehlo.slice %hess#0 [0:1, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_0_0, %hess_0#0 : tensor<1x13x13xf32>
  %hess_0_1 = stablehlo.slice %hess#1 [0:1, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_0_1, %hess_0#1 : tensor<1x12xf32>
  %hess_0_2 = stablehlo.slice %hess#2 [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_0_2, %hess_0#2 : tensor<1xi32>
  %hess_in1 = stablehlo.slice %a [1:2, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_1:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in1) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_1_0 = stablehlo.slice %hess#0 [1:2, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_1_0, %hess_1#0 : tensor<1x13x13xf32>
  %hess_1_1 = stablehlo.slice %hess#1 [1:2, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_1_1, %hess_1#1 : tensor<1x12xf32>
  %hess_1_2 = stablehlo.slice %hess#2 [1:2] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_1_2, %hess_1#2 : tensor<1xi32>
  %hess_in2 = stablehlo.slice %a [2:3, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_2:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in2) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_2_0 = stablehlo.slice %hess#0 [2:3, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_2_0, %hess_2#0 : tensor<1x13x13xf32>
  %hess_2_1 = stablehlo.slice %hess#1 [2:3, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_2_1, %hess_2#1 : tensor<1x12xf32>
  %hess_2_2 = stablehlo.slice %hess#2 [2:3] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_2_2, %hess_2#2 : tensor<1xi32>
  %hess_in3 = stablehlo.slice %a [3:4, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_3:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in3) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_3_0 = stablehlo.slice %hess#0 [3:4, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_3_0, %hess_3#0 : tensor<1x13x13xf32>
  %hess_3_1 = stablehlo.slice %hess#1 [3:4, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_3_1, %hess_3#1 : tensor<1x12xf32>
  %hess_3_2 = stablehlo.slice %hess#2 [3:4] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_3_2, %hess_3#2 : tensor<1xi32>
  %hess_in4 = stablehlo.slice %a [4:5, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_4:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in4) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_4_0 = stablehlo.slice %hess#0 [4:5, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_4_0, %hess_4#0 : tensor<1x13x13xf32>
  %hess_4_1 = stablehlo.slice %hess#1 [4:5, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_4_1, %hess_4#1 : tensor<1x12xf32>
  %hess_4_2 = stablehlo.slice %hess#2 [4:5] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_4_2, %hess_4#2 : tensor<1xi32>
  %hess_in5 = stablehlo.slice %a [5:6, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_5:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in5) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_5_0 = stablehlo.slice %hess#0 [5:6, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_5_0, %hess_5#0 : tensor<1x13x13xf32>
  %hess_5_1 = stablehlo.slice %hess#1 [5:6, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_5_1, %hess_5#1 : tensor<1x12xf32>
  %hess_5_2 = stablehlo.slice %hess#2 [5:6] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_5_2, %hess_5#2 : tensor<1xi32>
  %hess_in6 = stablehlo.slice %a [6:7, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_6:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in6) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_6_0 = stablehlo.slice %hess#0 [6:7, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_6_0, %hess_6#0 : tensor<1x13x13xf32>
  %hess_6_1 = stablehlo.slice %hess#1 [6:7, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_6_1, %hess_6#1 : tensor<1x12xf32>
  %hess_6_2 = stablehlo.slice %hess#2 [6:7] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_6_2, %hess_6#2 : tensor<1xi32>
  %hess_in7 = stablehlo.slice %a [7:8, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  %hess_7:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%hess_in7) {mhlo.backend_config = {low = 1 : i32, high = 13 : i32}} : (tensor<1x13x13xf32>) -> (tensor<1x13x13xf32>, tensor<1x12xf32>, tensor<1xi32>)
  %hess_7_0 = stablehlo.slice %hess#0 [7:8, 0:13, 0:13] : (tensor<8x13x13xf32>) -> tensor<1x13x13xf32>
  check.expect_eq %hess_7_0, %hess_7#0 : tensor<1x13x13xf32>
  %hess_7_1 = stablehlo.slice %hess#1 [7:8, 0:12] : (tensor<8x12xf32>) -> tensor<1x12xf32>
  check.expect_eq %hess_7_1, %hess_7#1 : tensor<1x12xf32>
  %hess_7_2 = stablehlo.slice %hess#2 [7:8] : (tensor<8xi32>) -> tensor<1xi32>
  check.expect_eq %hess_7_2, %hess_7#2 : tensor<1xi32>
  return
}
func.func @thirty() {
  %i = stablehlo.iota dim = 0 : tensor<2700xf32>
  %k = stablehlo.constant dense<1.7> : tensor<2700xf32>
  %x = stablehlo.multiply %i, %k : tensor<2700xf32>
  %s = stablehlo.sine %x : tensor<2700xf32>
  %a0 = stablehlo.reshape %s : (tensor<2700xf32>) -> tensor<3x30x30xf32>
  %at = stablehlo.transpose %a0, dims = [0, 2, 1] : (tensor<3x30x30xf32>) -> tensor<3x30x30xf32>
  %a1 = stablehlo.add %a0, %at : tensor<3x30x30xf32>
  %r = stablehlo.iota dim = 1 : tensor<3x30x30xi32>
  %c = stablehlo.iota dim = 2 : tensor<3x30x30xi32>
  %m = stablehlo.iota dim = 0 : tensor<3x30x30xi32>
  %one = stablehlo.constant dense<1> : tensor<3x30x30xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<3x30x30xf32>
  %off = stablehlo.compare NE, %r, %c : (tensor<3x30x30xi32>, tensor<3x30x30xi32>) -> tensor<3x30x30xi1>
  %second = stablehlo.compare EQ, %m, %one : (tensor<3x30x30xi32>, tensor<3x30x30xi32>) -> tensor<3x30x30xi1>
  %nil = stablehlo.and %off, %second : tensor<3x30x30xi1>
  %a = stablehlo.select %nil, %zero, %a1 : tensor<3x30x30xi1>, tensor<3x30x30xf32>
  %eigh:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x30x30xf32>) -> (tensor<3x30x30xf32>, tensor<3x30xf32>, tensor<3xi32>)
  %svd:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<3x30x30xf32>) -> (tensor<3x30x30xf32>, tensor<3x30xf32>, tensor<3x30x30xf32>, tensor<3x30x30xf32>, tensor<3xi32>)
  %in0 = stablehlo.slice %a [0:1, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  %eigh_0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%in0) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x30x30xf32>) -> (tensor<1x30x30xf32>, tensor<1x30xf32>, tensor<1xi32>)
  %svd_0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%in0) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x30x30xf32>) -> (tensor<1x30x30xf32>, tensor<1x30xf32>, tensor<1x30x30xf32>, tensor<1x30x30xf32>, tensor<1xi32>)
  %eigh_0_0 = stablehlo.slice %eigh#0 [0:1, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %eigh_0_0, %eigh_0#0 : tensor<1x30x30xf32>
  %eigh_0_1 = stablehlo.slice %eigh#1 [0:1, 0:30] : (tensor<3x30xf32>) -> tensor<1x30xf32>
  check.expect_eq %eigh_0_1, %eigh_0#1 : tensor<1x30xf32>
  %svd_0_1 = stablehlo.slice %svd#1 [0:1, 0:30] : (tensor<3x30xf32>) -> tensor<1x30xf32>
  check.expect_eq %svd_0_1, %svd_0#1 : tensor<1x30xf32>
  %svd_0_2 = stablehlo.slice %svd#2 [0:1, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %svd_0_2, %svd_0#2 : tensor<1x30x30xf32>
  %svd_0_3 = stablehlo.slice %svd#3 [0:1, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %svd_0_3, %svd_0#3 : tensor<1x30x30xf32>
  %in1 = stablehlo.slice %a [1:2, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  %eigh_1:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%in1) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x30x30xf32>) -> (tensor<1x30x30xf32>, tensor<1x30xf32>, tensor<1xi32>)
  %svd_1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%in1) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x30x30xf32>) -> (tensor<1x30x30xf32>, tensor<1x30xf32>, tensor<1x30x30xf32>, tensor<1x30x30xf32>, tensor<1xi32>)
  %eigh_1_0 = stablehlo.slice %eigh#0 [1:2, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %eigh_1_0, %eigh_1#0 : tensor<1x30x30xf32>
  %eigh_1_1 = stablehlo.slice %eigh#1 [1:2, 0:30] : (tensor<3x30xf32>) -> tensor<1x30xf32>
  check.expect_eq %eigh_1_1, %eigh_1#1 : tensor<1x30xf32>
  %svd_1_1 = stablehlo.slice %svd#1 [1:2, 0:30] : (tensor<3x30xf32>) -> tensor<1x30xf32>
  check.expect_eq %svd_1_1, %svd_1#1 : tensor<1x30xf32>
  %svd_1_2 = stablehlo.slice %svd#2 [1:2, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %svd_1_2, %svd_1#2 : tensor<1x30x30xf32>
  %svd_1_3 = stablehlo.slice %svd#3 [1:2, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %svd_1_3, %svd_1#3 : tensor<1x30x30xf32>
  %in2 = stablehlo.slice %a [2:3, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  %eigh_2:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%in2) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<1x30x30xf32>) -> (tensor<1x30x30xf32>, tensor<1x30xf32>, tensor<1xi32>)
  %svd_2:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%in2) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<1x30x30xf32>) -> (tensor<1x30x30xf32>, tensor<1x30xf32>, tensor<1x30x30xf32>, tensor<1x30x30xf32>, tensor<1xi32>)
  %eigh_2_0 = stablehlo.slice %eigh#0 [2:3, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %eigh_2_0, %eigh_2#0 : tensor<1x30x30xf32>
  %eigh_2_1 = stablehlo.slice %eigh#1 [2:3, 0:30] : (tensor<3x30xf32>) -> tensor<1x30xf32>
  check.expect_eq %eigh_2_1, %eigh_2#1 : tensor<1x30xf32>
  %svd_2_1 = stablehlo.slice %svd#1 [2:3, 0:30] : (tensor<3x30xf32>) -> tensor<1x30xf32>
  check.expect_eq %svd_2_1, %svd_2#1 : tensor<1x30xf32>
  %svd_2_2 = stablehlo.slice %svd#2 [2:3, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %svd_2_2, %svd_2#2 : tensor<1x30x30xf32>
  %svd_2_3 = stablehlo.slice %svd#3 [2:3, 0:30, 0:30] : (tensor<3x30x30xf32>) -> tensor<1x30x30xf32>
  check.expect_eq %svd_2_3, %svd_2#3 : tensor<1x30x30xf32>
  return
}
