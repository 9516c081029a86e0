// RUN: --shardc-partition
// A call for each element of a batch sees each device's part of the batch, and all of the rest.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<8x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, tensor<8x4xf32>) {
  %0:2 = stablehlo.custom_call @factor(%arg0) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<8x4x6xf32>) -> (tensor<8x4x6xf32>, tensor<8x4xf32>)
  return %0#0, %0#1 : tensor<8x4x6xf32>, tensor<8x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x4x6xf32>) -> (tensor<4x4x6xf32>, tensor<4x4xf32>) {
    %0:2 = stablehlo.custom_call @factor(%arg0) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<4x4x6xf32>) -> (tensor<4x4x6xf32>, tensor<4x4xf32>)
    return %0#0, %0#1 : tensor<4x4x6xf32>, tensor<4x4xf32>
  }
}
