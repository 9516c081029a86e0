// RUN: --shardc-partition
// What is cut inside of a batch's elements is gathered; arrays of other batches than the call says make it one of whole arrays.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.custom_call @factor(%arg0) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @factor(%arg1) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<1x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8x2xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @factor(%0) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x4xf32>) -> tensor<2x4xf32>
    %3 = stablehlo.custom_call @factor(%2) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4xf32>) -> tensor<8x4xf32>
    return %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
