// RUN: --shardc-partition
// What only keeps a value alive takes each device's part.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
  stablehlo.custom_call @dce_sink(%0) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %arg0 : tensor<4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    stablehlo.custom_call @dce_sink(%0) {has_side_effect = true} : (tensor<2xf32>) -> ()
    return %arg0 : tensor<2xf32>
  }
}
