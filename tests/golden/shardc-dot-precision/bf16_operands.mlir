// RUN: --shardc-dot-precision
// Operands are rounded as the algorithm of a product says.
func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<4x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    %1 = stablehlo.convert %0 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
    %2 = stablehlo.convert %arg1 : (tensor<4x2xf32>) -> tensor<4x2xbf16>
    %3 = stablehlo.convert %2 : (tensor<4x2xbf16>) -> tensor<4x2xf32>
    %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    return %4 : tensor<2x2xf32>
  }
}
