// RUN: --shardc-merge-equal-ops
// Two operands that commute may stand in any order; a region's op sees those before it, not what another region has.
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
  %1 = stablehlo.add %arg1, %arg0 : tensor<4xf32>
  %2 = "stablehlo.if"(%arg2) ({
    %4 = stablehlo.add %arg1, %arg0 : tensor<4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4xf32>
    stablehlo.return %5 : tensor<4xf32>
  }, {
    %4 = stablehlo.subtract %arg0, %1 : tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = "stablehlo.if"(%arg2) ({
      %2 = stablehlo.subtract %arg0, %0 : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }, {
      %2 = stablehlo.subtract %arg0, %0 : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
