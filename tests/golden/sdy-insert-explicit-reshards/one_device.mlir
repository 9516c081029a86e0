// RUN: --sdy-insert-explicit-reshards
// What one device computes is brought there, and back, by way of all devices.
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @device = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @device = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@device, []> : tensor<8xf32>
    %2 = stablehlo.custom_call @f(%1) {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}]> : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
