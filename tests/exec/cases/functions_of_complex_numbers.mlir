// Exponential, log and square root of complex numbers: all pairs of special numbers as parts, and random ones beside the parts' functions of f64.
// tolerance: 1e-6
func.func @main(%x: tensor<40x33xcomplex<f32>>, %y: tensor<40x33xcomplex<f64>>) -> (tensor<24x24xcomplex<f32>>, tensor<24x24xcomplex<f32>>, tensor<24x24xcomplex<f32>>, tensor<40x33xcomplex<f32>>, tensor<40x33xcomplex<f32>>, tensor<40x33xcomplex<f32>>, tensor<40x33xcomplex<f64>>, tensor<40x33xcomplex<f64>>, tensor<40x33xcomplex<f64>>) {
%special = stablehlo.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1.0e-40, 1.0e-20, 1.0e+20, 3.0e+38, -3.0e+38, 0x7F800000, 0xFF800000, 0x7FC00000, 88.5, 100.0, -104.0, 0.99999994, 1.0000001, 0.6, 0.8, 1.0e+5, -1.0e+7]> : tensor<24xf32>
%rows = stablehlo.broadcast_in_dim %special, dims = [0] : (tensor<24xf32>) -> tensor<24x24xf32>
%columns = stablehlo.broadcast_in_dim %special, dims = [1] : (tensor<24xf32>) -> tensor<24x24xf32>
%all = stablehlo.complex %rows, %columns : tensor<24x24xcomplex<f32>>
%pairs = stablehlo.optimization_barrier %all : tensor<24x24xcomplex<f32>>
%0 = stablehlo.exponential %pairs : tensor<24x24xcomplex<f32>>
%1 = stablehlo.log %pairs : tensor<24x24xcomplex<f32>>
%2 = stablehlo.sqrt %pairs : tensor<24x24xcomplex<f32>>
%3 = stablehlo.exponential %x : tensor<40x33xcomplex<f32>>
%4 = stablehlo.log %x : tensor<40x33xcomplex<f32>>
%5 = stablehlo.sqrt %x : tensor<40x33xcomplex<f32>>
%6 = stablehlo.exponential %y : tensor<40x33xcomplex<f64>>
%7 = stablehlo.log %y : tensor<40x33xcomplex<f64>>
%8 = stablehlo.sqrt %y : tensor<40x33xcomplex<f64>>
return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<24x24xcomplex<f32>>, tensor<24x24xcomplex<f32>>, tensor<24x24xcomplex<f32>>, tensor<40x33xcomplex<f32>>, tensor<40x33xcomplex<f32>>, tensor<40x33xcomplex<f32>>, tensor<40x33xcomplex<f64>>, tensor<40x33xcomplex<f64>>, tensor<40x33xcomplex<f64>>
}
