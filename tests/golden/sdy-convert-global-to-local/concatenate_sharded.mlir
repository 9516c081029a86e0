// RUN: not --sdy-convert-global-to-local
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<4x12xf32> {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  return %0 : tensor<4x12xf32>
}
// ---- expect
concatenate_sharded.mlir:4:8: error: 'stablehlo.concatenate' op operand 1 is sharded on concatenation dimension 1. This is not supported.
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tens...
         ^
concatenate_sharded.mlir:4:8: error: failed to legalize operation 'stablehlo.concatenate' that was explicitly marked illegal
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tens...
         ^
