// Transposes of few columns and of few rows, alone and with arithmetic, of more dimensions, and of
// sharded arrays: the few are made together along the many.
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a0: tensor<1003x2xf32>, %a1: tensor<777x3xf32>, %a2: tensor<130x4xf32>, %a3: tensor<65x5xf64>, %a4: tensor<1001x6xbf16>, %a5: tensor<515x7xi8>, %a6: tensor<300x8xf32>, %a7: tensor<70x3xcomplex<f32>>, %a8: tensor<200x4xi1>, %a9: tensor<2x1003xf32>, %a10: tensor<3x777xf32>, %a11: tensor<4x130xf64>, %a12: tensor<5x65xf32>, %a13: tensor<6x1001xbf16>, %a14: tensor<7x515xi8>, %a15: tensor<8x300xi32>, %a16: tensor<9x300xf32>, %b: tensor<501x3xf32>, %c: tensor<3x501xf32>, %d: tensor<5x200x4xf32>, %e: tensor<2000x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %f: tensor<3x2000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<2x1003xf32>, tensor<3x777xf32>, tensor<4x130xf32>, tensor<5x65xf64>, tensor<6x1001xbf16>, tensor<7x515xi8>, tensor<8x300xf32>, tensor<3x70xcomplex<f32>>, tensor<4x200xi1>, tensor<1003x2xf32>, tensor<777x3xf32>, tensor<130x4xf64>, tensor<65x5xf32>, tensor<1001x6xbf16>, tensor<515x7xi8>, tensor<300x8xi32>, tensor<300x9xf32>, tensor<3x501xf32>, tensor<501x3xf32>, tensor<5x4x200xf32>, tensor<4x5x200xf32>, tensor<4x2000xf32>, tensor<2000x3xf32>) {
  %a0t = stablehlo.transpose %a0, dims = [1, 0] : (tensor<1003x2xf32>) -> tensor<2x1003xf32>
  %a1t = stablehlo.transpose %a1, dims = [1, 0] : (tensor<777x3xf32>) -> tensor<3x777xf32>
  %a2t = stablehlo.transpose %a2, dims = [1, 0] : (tensor<130x4xf32>) -> tensor<4x130xf32>
  %a3t = stablehlo.transpose %a3, dims = [1, 0] : (tensor<65x5xf64>) -> tensor<5x65xf64>
  %a4t = stablehlo.transpose %a4, dims = [1, 0] : (tensor<1001x6xbf16>) -> tensor<6x1001xbf16>
  %a5t = stablehlo.transpose %a5, dims = [1, 0] : (tensor<515x7xi8>) -> tensor<7x515xi8>
  %a6t = stablehlo.transpose %a6, dims = [1, 0] : (tensor<300x8xf32>) -> tensor<8x300xf32>
  %a7t = stablehlo.transpose %a7, dims = [1, 0] : (tensor<70x3xcomplex<f32>>) -> tensor<3x70xcomplex<f32>>
  %a8t = stablehlo.transpose %a8, dims = [1, 0] : (tensor<200x4xi1>) -> tensor<4x200xi1>
  %a9t = stablehlo.transpose %a9, dims = [1, 0] : (tensor<2x1003xf32>) -> tensor<1003x2xf32>
  %a10t = stablehlo.transpose %a10, dims = [1, 0] : (tensor<3x777xf32>) -> tensor<777x3xf32>
  %a11t = stablehlo.transpose %a11, dims = [1, 0] : (tensor<4x130xf64>) -> tensor<130x4xf64>
  %a12t = stablehlo.transpose %a12, dims = [1, 0] : (tensor<5x65xf32>) -> tensor<65x5xf32>
  %a13t = stablehlo.transpose %a13, dims = [1, 0] : (tensor<6x1001xbf16>) -> tensor<1001x6xbf16>
  %a14t = stablehlo.transpose %a14, dims = [1, 0] : (tensor<7x515xi8>) -> tensor<515x7xi8>
  %a15t = stablehlo.transpose %a15, dims = [1, 0] : (tensor<8x300xi32>) -> tensor<300x8xi32>
  %a16t = stablehlo.transpose %a16, dims = [1, 0] : (tensor<9x300xf32>) -> tensor<300x9xf32>
  %bt = stablehlo.transpose %b, dims = [1, 0] : (tensor<501x3xf32>) -> tensor<3x501xf32>
  %bc = stablehlo.subtract %bt, %c : tensor<3x501xf32>
  %ct = stablehlo.transpose %c, dims = [1, 0] : (tensor<3x501xf32>) -> tensor<501x3xf32>
  %cn = stablehlo.negate %ct : tensor<501x3xf32>
  %d0 = stablehlo.transpose %d, dims = [0, 2, 1] : (tensor<5x200x4xf32>) -> tensor<5x4x200xf32>
  %d1 = stablehlo.transpose %d, dims = [2, 0, 1] : (tensor<5x200x4xf32>) -> tensor<4x5x200xf32>
  %et = stablehlo.transpose %e, dims = [1, 0] : (tensor<2000x4xf32>) -> tensor<4x2000xf32>
  %ft = stablehlo.transpose %f, dims = [1, 0] : (tensor<3x2000xf32>) -> tensor<2000x3xf32>
  return %a0t, %a1t, %a2t, %a3t, %a4t, %a5t, %a6t, %a7t, %a8t, %a9t, %a10t, %a11t, %a12t, %a13t, %a14t, %a15t, %a16t, %bc, %cn, %d0, %d1, %et, %ft : tensor<2x1003xf32>, tensor<3x777xf32>, tensor<4x130xf32>, tensor<5x65xf64>, tensor<6x1001xbf16>, tensor<7x515xi8>, tensor<8x300xf32>, tensor<3x70xcomplex<f32>>, tensor<4x200xi1>, tensor<1003x2xf32>, tensor<777x3xf32>, tensor<130x4xf64>, tensor<65x5xf32>, tensor<1001x6xbf16>, tensor<515x7xi8>, tensor<300x8xi32>, tensor<300x9xf32>, tensor<3x501xf32>, tensor<501x3xf32>, tensor<5x4x200xf32>, tensor<4x5x200xf32>, tensor<4x2000xf32>, tensor<2000x3xf32>
}
