// RUN: --shardc-reshard-to-collectives
// A whole array on one mesh gets the names of the other mesh before it is sliced there.
sdy.mesh @m1 = <["x"=4, "y"=2]>
sdy.mesh @m2 = <["d"=8]>
func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m1, [{}, {}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m2, [{"d"}, {}]>}) {
  %0 = sdy.reshard %arg0 <@m2, [{"d"}, {}]> : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// ---- expect
module {
  sdy.mesh @m1 = <["x"=4, "y"=2]>
  sdy.mesh @m2 = <["d"=8]>
  func.func @main(%arg0: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m1, [{}, {}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@m2, [{"d"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m2, [{}, {}]> : tensor<64x64xf32>
    %1 = sdy.all_slice [{"d"}, {}] %0 out_sharding=<@m2, [{"d"}, {}]> : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
