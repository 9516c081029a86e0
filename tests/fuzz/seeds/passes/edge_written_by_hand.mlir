// -----
sdy.mesh @mesh_a_2_b_2 = <["a"=2, "b"=2]>
sdy.mesh @mesh_a_2_b_2_c_2 = <["a"=2, "b"=2, "c"=2]>

// Make sure the out_sharding isn't updated, only the external DataFlowEdgeOp
// and the internal AddOp.
//
func.func @manual_computation_update_out_sharding_edge(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh_a_2_b_2_c_2, [{"b", ?}, {?}]>] out_shardings=[<@mesh_a_2_b_2_c_2, [{"b", ?}, {?}]>] manual_axes={"b"} (%arg1: tensor<16x32xf32>) {
%z58106 = stablehlo.negate %arg1 : tensor<16x32xf32>
    %2 = sdy.data_flow_edge %arg1 sharding=<@mesh_a_2_b_2_c_2, [{?}, {?}]> : tensor<16x32xf32>
    %3 = stablehlo.custom_call @sdy_testonly(%2) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %4 = stablehlo.add %3, %3 : tensor<16x32xf32>
    sdy.return %4 : tensor<16x32xf32>
  } : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh_a_2_b_2_c_2, [{?}, {"c", ?}]> : tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

