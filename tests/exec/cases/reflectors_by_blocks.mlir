// QR of many columns, and Q and products with it of many reflectors, go by blocks: a matrix beyond the cache, and complex ones in a sharded batch.
// tolerance: 1e-4
module @reflectors {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(
      %a: tensor<300x220xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
      %b: tensor<4x50x41xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>},
      %c: tensor<4x50x6xcomplex<f32>>, %d: tensor<4x5x50xcomplex<f32>>) -> (tensor<300x220xf32>, tensor<300x220xf32>, tensor<4x50x41xcomplex<f32>>, tensor<4x50x6xcomplex<f32>>, tensor<4x50x6xcomplex<f32>>, tensor<4x5x50xcomplex<f32>>, tensor<4x5x50xcomplex<f32>>) {
    %f:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<300x220xf32>) -> (tensor<300x220xf32>, tensor<220xf32>)
    %q = stablehlo.custom_call @lapack_sorgqr_ffi(%f#0, %f#1) {mhlo.backend_config = {}} : (tensor<300x220xf32>, tensor<220xf32>) -> tensor<300x220xf32>
    %g:2 = stablehlo.custom_call @lapack_cgeqrf_ffi(%b) {mhlo.backend_config = {}} : (tensor<4x50x41xcomplex<f32>>) -> (tensor<4x50x41xcomplex<f32>>, tensor<4x41xcomplex<f32>>)
    %u = stablehlo.custom_call @lapack_cungqr_ffi(%g#0, %g#1) {mhlo.backend_config = {}} : (tensor<4x50x41xcomplex<f32>>, tensor<4x41xcomplex<f32>>) -> tensor<4x50x41xcomplex<f32>>
    %l = stablehlo.custom_call @lapack_cunmqr_ffi(%g#0, %g#1, %c) {mhlo.backend_config = {left = true, transpose = false}} : (tensor<4x50x41xcomplex<f32>>, tensor<4x41xcomplex<f32>>, tensor<4x50x6xcomplex<f32>>) -> tensor<4x50x6xcomplex<f32>>
    %la = stablehlo.custom_call @lapack_cunmqr_ffi(%g#0, %g#1, %c) {mhlo.backend_config = {left = true, transpose = true}} : (tensor<4x50x41xcomplex<f32>>, tensor<4x41xcomplex<f32>>, tensor<4x50x6xcomplex<f32>>) -> tensor<4x50x6xcomplex<f32>>
    %r = stablehlo.custom_call @lapack_cunmqr_ffi(%g#0, %g#1, %d) {mhlo.backend_config = {left = false, transpose = false}} : (tensor<4x50x41xcomplex<f32>>, tensor<4x41xcomplex<f32>>, tensor<4x5x50xcomplex<f32>>) -> tensor<4x5x50xcomplex<f32>>
    %ra = stablehlo.custom_call @lapack_cunmqr_ffi(%g#0, %g#1, %d) {mhlo.backend_config = {left = false, transpose = true}} : (tensor<4x50x41xcomplex<f32>>, tensor<4x41xcomplex<f32>>, tensor<4x5x50xcomplex<f32>>) -> tensor<4x5x50xcomplex<f32>>
    return %f#0, %q, %u, %l, %la, %r, %ra : tensor<300x220xf32>, tensor<300x220xf32>, tensor<4x50x41xcomplex<f32>>, tensor<4x50x6xcomplex<f32>>, tensor<4x50x6xcomplex<f32>>, tensor<4x5x50xcomplex<f32>>, tensor<4x5x50xcomplex<f32>>
  }
}
