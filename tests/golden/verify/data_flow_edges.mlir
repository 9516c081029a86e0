// RUN: not --symbol-dce
// A data-flow edge stands alone on a static value that no op of Shardy's makes, but for those with regions.
sdy.mesh @m = <["x"=2]>
func.func @dynamic(%arg0: tensor<?xf32>) {
  %0 = sdy.data_flow_edge %arg0 : tensor<?xf32>
  return
}
func.func @second_use(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.data_flow_edge %arg0 : tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
func.func @of_constraint(%arg0: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}]> : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}
func.func @of_computation_is_right(%arg0: tensor<8xf32>) {
  %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}
func.func @sharding(%arg0: tensor<8xf32>) {
  %0 = sdy.data_flow_edge %arg0 sharding=<@m, [{"y"}]> : tensor<8xf32>
  return
}
// ---- expect
data_flow_edges.mlir:5:8: error: 'sdy.data_flow_edge' op expected sdy.data_flow_edge to have a static-shaped result. type: 'tensor<?xf32>'
    %0 = sdy.data_flow_edge %arg0 : tensor<?xf32>
         ^
data_flow_edges.mlir:9:8: error: 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to have a single user
    %0 = sdy.data_flow_edge %arg0 : tensor<8xf32>
         ^
data_flow_edges.mlir:14:8: error: 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an sdy.named_computation).
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
         ^
data_flow_edges.mlir:13:8: note: sdy op defining the input of the sdy.data_flow_edge
    %0 = sdy.sharding_constraint %arg0 <@m, [{"x"}]> : tensor<8xf32>
         ^
data_flow_edges.mlir:25:8: error: 'sdy.data_flow_edge' op unknown axis name: "y"
    %0 = sdy.data_flow_edge %arg0 sharding=<@m, [{"y"}]> : tensor<8xf32>
         ^
