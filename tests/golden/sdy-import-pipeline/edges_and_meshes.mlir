// RUN: --sdy-import-pipeline
// An inlined mesh is named, a constant is split, a loop has its edges.
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  %3 = stablehlo.optimization_barrier %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %3 = stablehlo.add %2, %1 : tensor<8xf32>
    %4 = stablehlo.optimization_barrier %3 : tensor<8xf32>
    %5 = sdy.data_flow_edge %4 : tensor<8xf32>
    return %5 : tensor<8xf32>
  }
}
