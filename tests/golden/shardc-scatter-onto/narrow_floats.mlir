// RUN: --shardc-scatter-onto
// Updates of bf16 are summed before they are added to larger numbers.
func.func @main(%x: tensor<8xbf16>, %at: tensor<5x1xi32>, %u: tensor<5xbf16>) -> tensor<8xbf16> {
  %zeros = stablehlo.constant dense<0.0> : tensor<8xbf16>
  %0 = "stablehlo.scatter"(%zeros, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
    %s = stablehlo.add %p, %q : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<8xbf16>, tensor<5x1xi32>, tensor<5xbf16>) -> tensor<8xbf16>
  %1 = stablehlo.add %x, %0 : tensor<8xbf16>
  return %1 : tensor<8xbf16>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8xbf16>, %arg1: tensor<5x1xi32>, %arg2: tensor<5xbf16>) -> tensor<8xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xbf16>
    %0 = "stablehlo.scatter"(%cst, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %2 = stablehlo.add %arg3, %arg4 : tensor<bf16>
      stablehlo.return %2 : tensor<bf16>
    }) : (tensor<8xbf16>, tensor<5x1xi32>, tensor<5xbf16>) -> tensor<8xbf16>
    %1 = stablehlo.add %arg0, %0 : tensor<8xbf16>
    return %1 : tensor<8xbf16>
  }
}
