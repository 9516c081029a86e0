// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// TODO(b/391840483): If the function has multiple results, then each
// `edge_source` on the func result attributes will have index 0. This is
// because of how propagation works with running propagation on each returned
// result. Reconsider this behavior.
//
func.func @manual_computation_multiple_results(%arg0: tensor<32x32xf32>) -> (tensor<16x32xf32>, tensor<32x32xf32>) {
  %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b", ?}, {?}]>] out_shardings=[<@mesh, [{?}, {?}], replicated={"b"}>, <@mesh, [{"b", ?}, {"a", ?}]>] manual_axes={"b"} (%arg1: tensor<16x32xf32>) {
%z28742 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a"}p1, {"b"}]> : tensor<16x32xf32>
    %1 = stablehlo.add %z28742, %z28742 : tensor<16x32xf32>
%wt = stablehlo.constant dense<false> : tensor<i1>
%z26239 = stablehlo.while(%w = %1) : tensor<16x32xf32>
  cond {
    stablehlo.return %wt : tensor<i1>
  } do {
    stablehlo.return %w : tensor<16x32xf32>
  }
    sdy.return %z26239, %1 : tensor<16x32xf32>, tensor<16x32xf32>
  } : (tensor<32x32xf32>) -> (tensor<16x32xf32>, tensor<32x32xf32>)
  return %0#0, %0#1 : tensor<16x32xf32>, tensor<32x32xf32>
}

