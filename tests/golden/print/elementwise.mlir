// RUN:
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xi1>) -> tensor<8xf32> {
  %sum = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  %0 = "stablehlo.select"(%arg2, %sum, %arg1) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.compare LT, %0, %sum, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %2 = stablehlo.convert %1 : (tensor<8xi1>) -> tensor<8xf32>
  %3 = stablehlo.cosine %2 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<8xf32>
  %4 = stablehlo.complex %3, %2 : tensor<8xcomplex<f32>>
  %5 = stablehlo.reduce_precision %3, format = e8m7 : tensor<8xf32>
  %6 = stablehlo.clamp %5, %3, %2 : tensor<8xf32>
  return %6 : tensor<8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xi1>) -> tensor<8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
    %1 = stablehlo.select %arg2, %0, %arg1 : tensor<8xi1>, tensor<8xf32>
    %2 = stablehlo.compare LT, %1, %0, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %3 = stablehlo.convert %2 : (tensor<8xi1>) -> tensor<8xf32>
    %4 = stablehlo.cosine %3 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<8xf32>
    %5 = stablehlo.complex %4, %3 : tensor<8xcomplex<f32>>
    %6 = stablehlo.reduce_precision %4, format = e8m7 : tensor<8xf32>
    %7 = stablehlo.clamp %6, %4, %3 : tensor<8xf32>
    return %7 : tensor<8xf32>
  }
}
