// Singular values of 129 columns, whose tridiagonal form is solved by halves of an odd size. Results: the values, U diag(s) V^H, U^H U and V^H V.
// tolerance: 1e-4
func.func @main(%a: tensor<133x129xf32>) -> (tensor<129xf32>, tensor<133x129xf32>, tensor<129x129xf32>, tensor<129x129xf32>) {
%0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<133x129xf32>) -> (tensor<133x129xf32>, tensor<129xf32>, tensor<133x129xf32>, tensor<129x129xf32>, tensor<i32>)
%s = stablehlo.broadcast_in_dim %0#1, dims = [1] : (tensor<129xf32>) -> tensor<133x129xf32>
%us = stablehlo.multiply %0#2, %s : tensor<133x129xf32>
%b = stablehlo.dot_general %us, %0#3, contracting_dims = [1] x [0] : (tensor<133x129xf32>, tensor<129x129xf32>) -> tensor<133x129xf32>
%uu = stablehlo.dot_general %0#2, %0#2, contracting_dims = [0] x [0] : (tensor<133x129xf32>, tensor<133x129xf32>) -> tensor<129x129xf32>
%vv = stablehlo.dot_general %0#3, %0#3, contracting_dims = [1] x [1] : (tensor<129x129xf32>, tensor<129x129xf32>) -> tensor<129x129xf32>
return %0#1, %b, %uu, %vv : tensor<129xf32>, tensor<133x129xf32>, tensor<129x129xf32>, tensor<129x129xf32>
}
