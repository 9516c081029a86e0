// RUN: --shardc-partition
// What is cut along the batch stays so where its elements are cut, too: they alone are gathered.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @factor(%arg0) {mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k], [i]) {i=8, j=4, k=4}, custom>} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8x4xf32>, tensor<8xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
    %1:2 = stablehlo.custom_call @factor(%0) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
    return %1#0, %1#1 : tensor<4x4xf32>, tensor<4xf32>
  }
}
