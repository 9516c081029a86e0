// Products and convolutions of complex numbers are those of their parts; small ones are made by a loop. Sizes of complex numbers.
// tolerance: 1e-5
func.func @main(%a0: tensor<37x70xcomplex<f32>>, %b0: tensor<70x45xcomplex<f32>>, %a1: tensor<3x20x33xcomplex<f64>>, %b1: tensor<3x25x33xcomplex<f64>>, %a2: tensor<2x2xcomplex<f32>>, %a3: tensor<1x9x7x3xcomplex<f32>>, %b3: tensor<3x2x3x5xcomplex<f32>>) -> (tensor<37x45xcomplex<f32>>, tensor<3x20x25xcomplex<f64>>, tensor<2x2xcomplex<f32>>, tensor<1x7x6x5xcomplex<f32>>, tensor<37x70xf32>, tensor<3x20x33xf64>) {
%0 = stablehlo.dot_general %a0, %b0, contracting_dims = [1] x [0] : (tensor<37x70xcomplex<f32>>, tensor<70x45xcomplex<f32>>) -> tensor<37x45xcomplex<f32>>
%1 = stablehlo.dot_general %a1, %b1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x20x33xcomplex<f64>>, tensor<3x25x33xcomplex<f64>>) -> tensor<3x20x25xcomplex<f64>>
%2 = stablehlo.dot_general %a2, %a2, contracting_dims = [1] x [0] : (tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
%3 = stablehlo.convolution(%a3, %b3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x7x3xcomplex<f32>>, tensor<3x2x3x5xcomplex<f32>>) -> tensor<1x7x6x5xcomplex<f32>>
%4 = stablehlo.abs %a0 : (tensor<37x70xcomplex<f32>>) -> tensor<37x70xf32>
%5 = stablehlo.abs %a1 : (tensor<3x20x33xcomplex<f64>>) -> tensor<3x20x33xf64>
return %0, %1, %2, %3, %4, %5 : tensor<37x45xcomplex<f32>>, tensor<3x20x25xcomplex<f64>>, tensor<2x2xcomplex<f32>>, tensor<1x7x6x5xcomplex<f32>>, tensor<37x70xf32>, tensor<3x20x33xf64>
}
