// Calls that show how a value lies give nothing, or the value itself.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    stablehlo.custom_call @InspectSharding(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
    %0 = stablehlo.custom_call @InspectSharding(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
