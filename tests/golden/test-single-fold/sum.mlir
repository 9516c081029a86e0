// RUN: --test-single-fold
// Constants are computed.
func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
// ---- expect
module {
  func.func @main() -> tensor<2xi32> {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    return %c_0 : tensor<2xi32>
  }
}
