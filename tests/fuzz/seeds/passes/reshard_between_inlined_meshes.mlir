// RUN: --shardc-reshard-to-collectives
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=3]>, [{}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reshard %arg0 <mesh<["x"=4]>, [{"x"}, {}]> : tensor<16x8xf32>
  %1 = sdy.reshard %0 <mesh<["y"=2]>, [{}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
