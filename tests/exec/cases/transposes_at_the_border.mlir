// Transposed arrays whose last tiles are not whole: of some squares, of one, of less than one; of all sizes of elements.
// tolerance: 0
func.func @main(%a: tensor<164x448xi8>, %b: tensor<50x100xbf16>, %c: tensor<37x41xf32>, %d: tensor<5x300xf32>, %e: tensor<3x70x21xf64>, %f: tensor<20x33xcomplex<f32>>, %g: tensor<4x41x28x16xi8>) -> (tensor<448x164xi8>, tensor<100x50xbf16>, tensor<41x37xf32>, tensor<300x5xf32>, tensor<21x3x70xf64>, tensor<33x20xcomplex<f32>>, tensor<28x16x4x41xi8>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<164x448xi8>) -> tensor<448x164xi8>
  %1 = stablehlo.add %b, %b : tensor<50x100xbf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<50x100xbf16>) -> tensor<100x50xbf16>
  %3 = stablehlo.transpose %c, dims = [1, 0] : (tensor<37x41xf32>) -> tensor<41x37xf32>
  %4 = stablehlo.transpose %d, dims = [1, 0] : (tensor<5x300xf32>) -> tensor<300x5xf32>
  %5 = stablehlo.transpose %e, dims = [2, 0, 1] : (tensor<3x70x21xf64>) -> tensor<21x3x70xf64>
  %6 = stablehlo.transpose %f, dims = [1, 0] : (tensor<20x33xcomplex<f32>>) -> tensor<33x20xcomplex<f32>>
  %7 = stablehlo.transpose %g, dims = [2, 3, 0, 1] : (tensor<4x41x28x16xi8>) -> tensor<28x16x4x41xi8>
  return %0, %2, %3, %4, %5, %6, %7 : tensor<448x164xi8>, tensor<100x50xbf16>, tensor<41x37xf32>, tensor<300x5xf32>, tensor<21x3x70xf64>, tensor<33x20xcomplex<f32>>, tensor<28x16x4x41xi8>
}
