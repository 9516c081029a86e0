// Transposes of whole tiles and of parts at the borders, of every width of elements, alone and with
// operands in the result's order; arrays larger than the caches, whose next tile is read ahead.
func.func public @main(%a0: tensor<200x150xf32>, %a1: tensor<128x192xf64>, %a2: tensor<256x130xbf16>, %a3: tensor<512x260xi8>, %a4: tensor<70x65xcomplex<f32>>, %a5: tensor<3x64x128xi32>, %b: tensor<1024x1025xf32>, %c: tensor<1025x1024xf32>, %d: tensor<900x900xf64>) -> (tensor<150x200xf32>, tensor<192x128xf64>, tensor<130x256xbf16>, tensor<260x512xi8>, tensor<65x70xcomplex<f32>>, tensor<3x128x64xi32>, tensor<1025x1024xf32>, tensor<900x900xf64>) {
  %0 = stablehlo.transpose %a0, dims = [1, 0] : (tensor<200x150xf32>) -> tensor<150x200xf32>
  %1 = stablehlo.transpose %a1, dims = [1, 0] : (tensor<128x192xf64>) -> tensor<192x128xf64>
  %2 = stablehlo.transpose %a2, dims = [1, 0] : (tensor<256x130xbf16>) -> tensor<130x256xbf16>
  %3 = stablehlo.transpose %a3, dims = [1, 0] : (tensor<512x260xi8>) -> tensor<260x512xi8>
  %4 = stablehlo.transpose %a4, dims = [1, 0] : (tensor<70x65xcomplex<f32>>) -> tensor<65x70xcomplex<f32>>
  %5 = stablehlo.transpose %a5, dims = [0, 2, 1] : (tensor<3x64x128xi32>) -> tensor<3x128x64xi32>
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<1024x1025xf32>) -> tensor<1025x1024xf32>
  %6 = stablehlo.add %t, %c : tensor<1025x1024xf32>
  %u = stablehlo.transpose %d, dims = [1, 0] : (tensor<900x900xf64>) -> tensor<900x900xf64>
  %7 = stablehlo.subtract %d, %u : tensor<900x900xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<150x200xf32>, tensor<192x128xf64>, tensor<130x256xbf16>, tensor<260x512xi8>, tensor<65x70xcomplex<f32>>, tensor<3x128x64xi32>, tensor<1025x1024xf32>, tensor<900x900xf64>
}
