// LAPACK's reductions to other forms and its tridiagonal solver, on sharded matrices.
// tolerance: 1e-4
module @lapack_reduce {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(
      %a: tensor<2x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>},
      %d: tensor<6x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
      %b: tensor<6x7x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}) -> (
      tensor<2x4x4xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<2x4xi32>, tensor<6x7x2xf32>) {
    %h:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}}
        : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x3xf32>, tensor<2xi32>)
    %t:5 = stablehlo.custom_call @lapack_ssytrd_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}}
        : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>)
    %free = stablehlo.constant dense<0> : tensor<2x4xi32>
    %q:3 = stablehlo.custom_call @lapack_sgeqp3_ffi(%a, %free) {mhlo.backend_config = {}}
        : (tensor<2x4x4xf32>, tensor<2x4xi32>) -> (tensor<2x4x4xf32>, tensor<2x4xi32>, tensor<2x4xf32>)
    %one = stablehlo.constant dense<1.0> : tensor<6x7xf32>
    %m = stablehlo.add %d, %one : tensor<6x7xf32>
    %s:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%d, %m, %d, %b) {mhlo.backend_config = {}}
        : (tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7x2xf32>) -> (tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7x2xf32>, tensor<6xi32>)
    return %h#0, %h#1, %t#1, %t#2, %q#0, %q#1, %s#3 : tensor<2x4x4xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<2x4xi32>, tensor<6x7x2xf32>
  }
}
