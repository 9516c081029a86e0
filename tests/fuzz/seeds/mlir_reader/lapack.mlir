func.func @main(%a: tensor<2x3x3xcomplex<f32>>, %c: tensor<2x2x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xf32>, tensor<2x2x3xcomplex<f32>>) {
  %e:2 = stablehlo.custom_call @Eigh(%a) {backend_config = "1,1,100,1e-6"} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xf32>)
  %q:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>)
  %m = stablehlo.custom_call @lapack_cunmqr_ffi(%q#0, %q#1, %c) {mhlo.backend_config = {left = false, transpose = true}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<2x2x3xcomplex<f32>>) -> tensor<2x2x3xcomplex<f32>>
  return %e#0, %e#1, %m : tensor<2x3x3xcomplex<f32>>, tensor<2x3xf32>, tensor<2x2x3xcomplex<f32>>
}
