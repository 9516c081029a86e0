// RUN: --stablehlo-legalize-quant-to-math
// Arguments are the stored integers; moves work on them, arithmetic on what they stand for.
func.func @main(%arg0: tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>> {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %1 = stablehlo.negate %0 : tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  return %1 : tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x3xi8>) -> tensor<3x2xi8> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
    %1 = stablehlo.convert %0 : (tensor<3x2xi8>) -> tensor<3x2xi32>
    %c = stablehlo.constant dense<3> : tensor<3x2xi32>
    %2 = stablehlo.subtract %1, %c : tensor<3x2xi32>
    %3 = stablehlo.convert %2 : (tensor<3x2xi32>) -> tensor<3x2xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<3x2xf32>
    %4 = stablehlo.multiply %3, %cst : tensor<3x2xf32>
    %5 = stablehlo.negate %4 : tensor<3x2xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<3x2xf32>
    %6 = stablehlo.divide %5, %cst_0 : tensor<3x2xf32>
    %7 = stablehlo.round_nearest_even %6 : tensor<3x2xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<3x2xf32>
    %8 = stablehlo.add %7, %cst_1 : tensor<3x2xf32>
    %9 = stablehlo.compare EQ, %8, %8, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
    %cst_2 = stablehlo.constant dense<-1.280000e+02> : tensor<3x2xf32>
    %10 = stablehlo.maximum %8, %cst_2 : tensor<3x2xf32>
    %cst_3 = stablehlo.constant dense<1.270000e+02> : tensor<3x2xf32>
    %11 = stablehlo.minimum %10, %cst_3 : tensor<3x2xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<3x2xf32>
    %12 = stablehlo.select %9, %11, %cst_4 : tensor<3x2xi1>, tensor<3x2xf32>
    %13 = stablehlo.convert %12 : (tensor<3x2xf32>) -> tensor<3x2xi8>
    return %13 : tensor<3x2xi8>
  }
}
