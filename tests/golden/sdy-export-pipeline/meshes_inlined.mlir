// RUN: --sdy-export-pipeline
// Shardings are exact, constraints reshards, meshes inlined.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"y", ?}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"y"}]>}) {
    %0 = sdy.reshard %arg0 <mesh<["x"=2, "y"=2]>, [{"y"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
