// Calls of LAPACK's routines on sharded matrices.
// tolerance: 1e-4
module @lapack {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(
      %a: tensor<2x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>},
      %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<2x6x5xf32>, tensor<2x5xi32>, tensor<2x6x5xf32>, tensor<4x6xf32>, tensor<6x6xf32>) {
    %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x6x5xf32>) -> (tensor<2x6x5xf32>, tensor<2x5xi32>, tensor<2xi32>)
    %f:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x6x5xf32>) -> (tensor<2x6x5xf32>, tensor<2x5xf32>)
    %q = stablehlo.custom_call @lapack_sorgqr_ffi(%f#0, %f#1) {mhlo.backend_config = {}} : (tensor<2x6x5xf32>, tensor<2x5xf32>) -> tensor<2x6x5xf32>
    %g = stablehlo.dot_general %b, %b, contracting_dims = [0] x [0] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
    %i = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %j = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %d = stablehlo.compare EQ, %i, %j : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %e = stablehlo.convert %d : (tensor<6x6xi1>) -> tensor<6x6xf32>
    %s = stablehlo.add %g, %e : tensor<6x6xf32>
    %c:2 = stablehlo.custom_call @lapack_spotrf_ffi(%s) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<6x6xf32>) -> (tensor<6x6xf32>, tensor<i32>)
    %t = stablehlo.compare GE, %i, %j : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %o = stablehlo.constant dense<0.0> : tensor<6x6xf32>
    %l = stablehlo.select %t, %c#0, %o : tensor<6x6xi1>, tensor<6x6xf32>
    %x = stablehlo.custom_call @lapack_strsm_ffi(%l, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<6x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    return %lu#0, %lu#1, %q, %x, %l : tensor<2x6x5xf32>, tensor<2x5xi32>, tensor<2x6x5xf32>, tensor<4x6xf32>, tensor<6x6xf32>
  }
}
