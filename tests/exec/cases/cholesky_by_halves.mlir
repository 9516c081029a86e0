// tolerance: 2e-5
// Factors of matrices so large that they are factored by halves: upper, lower, several, of all types, with a rest.
func.func @main(%a: tensor<520x520xf32>, %b: tensor<2x530x530xf64>, %c: tensor<515x515xcomplex<f32>>, %h: tensor<512x512xbf16>) -> (tensor<520x520xf32>, tensor<2x530x530xf64>, tensor<515x515xcomplex<f32>>, tensor<515x515xcomplex<f32>>, tensor<512x512xi1>) {
  %i = stablehlo.iota dim = 0 : tensor<530x530xi32>
  %j = stablehlo.iota dim = 1 : tensor<530x530xi32>
  %q = stablehlo.compare EQ, %i, %j : (tensor<530x530xi32>, tensor<530x530xi32>) -> tensor<530x530xi1>
  %d = stablehlo.convert %q : (tensor<530x530xi1>) -> tensor<530x530xf32>
  %n = stablehlo.constant dense<600.0> : tensor<530x530xf32>
  %e = stablehlo.multiply %d, %n : tensor<530x530xf32>
  %ea = stablehlo.slice %e [0:520, 0:520] : (tensor<530x530xf32>) -> tensor<520x520xf32>
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<520x520xf32>, tensor<520x520xf32>) -> tensor<520x520xf32>
  %1 = stablehlo.add %0, %ea : tensor<520x520xf32>
  %2 = stablehlo.cholesky %1, lower = true : tensor<520x520xf32>
  %w = stablehlo.convert %e : (tensor<530x530xf32>) -> tensor<530x530xf64>
  %eb = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<530x530xf64>) -> tensor<2x530x530xf64>
  %3 = stablehlo.add %b, %eb : tensor<2x530x530xf64>
  %4 = stablehlo.cholesky %3, lower = false : tensor<2x530x530xf64>
  %ec = stablehlo.slice %e [0:515, 0:515] : (tensor<530x530xf32>) -> tensor<515x515xf32>
  %zc = stablehlo.constant dense<0.0> : tensor<515x515xf32>
  %cc = stablehlo.complex %ec, %zc : tensor<515x515xcomplex<f32>>
  %5 = stablehlo.add %c, %cc : tensor<515x515xcomplex<f32>>
  %6 = stablehlo.cholesky %5, lower = true : tensor<515x515xcomplex<f32>>
  %7 = stablehlo.cholesky %5, lower = false : tensor<515x515xcomplex<f32>>
  %eh = stablehlo.slice %e [0:512, 0:512] : (tensor<530x530xf32>) -> tensor<512x512xf32>
  %ch = stablehlo.convert %eh : (tensor<512x512xf32>) -> tensor<512x512xbf16>
  %8 = stablehlo.add %h, %ch : tensor<512x512xbf16>
  %9 = stablehlo.cholesky %8, lower = true : tensor<512x512xbf16>
  %10 = stablehlo.dot_general %9, %9, contracting_dims = [1] x [1] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xf32>
  %11 = stablehlo.convert %8 : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %12 = stablehlo.subtract %10, %11 : tensor<512x512xf32>
  %13 = stablehlo.abs %12 : tensor<512x512xf32>
  %14 = stablehlo.constant dense<4.0> : tensor<512x512xf32>
  %15 = stablehlo.compare LT, %13, %14 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xi1>
  %16 = stablehlo.iota dim = 0 : tensor<512x512xi32>
  %17 = stablehlo.iota dim = 1 : tensor<512x512xi32>
  %18 = stablehlo.compare LT, %16, %17 : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
  %19 = stablehlo.or %15, %18 : tensor<512x512xi1>
  return %2, %4, %6, %7, %19 : tensor<520x520xf32>, tensor<2x530x530xf64>, tensor<515x515xcomplex<f32>>, tensor<515x515xcomplex<f32>>, tensor<512x512xi1>
}
