// RUN: --sdy-add-data-flow-edges --sdy-import-func-calls
// Named computations of the program keep the edges that they have.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"n">(%arg0) (%arg1: tensor<8xf32>) {
    %2 = stablehlo.tanh %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"n">(%arg0) (%arg1: tensor<8xf32>) {
      %4 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      %5 = stablehlo.tanh %4 : tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.named_computation<"f">(%1) (%arg1: tensor<8xf32>) {
      %4 = sdy.data_flow_edge %arg1 : tensor<8xf32>
      sdy.return %4 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.data_flow_edge %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
