// RUN: --shardc-combine-collectives
// %0 could go at once, but nobody waits for it as long as %3 has not gone, which needs %1. The gather in the loop stays there.
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<8xf32>, tensor<16xf32>, tensor<8xi32>) {
  %0 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xi32>) -> tensor<8xi32>
  %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  %2 = stablehlo.tanh %1 : tensor<8xf32>
  %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
  %c = stablehlo.constant dense<false> : tensor<i1>
  %4 = stablehlo.while(%iterArg = %1) : tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %5 = stablehlo.slice %iterArg [0:4] : (tensor<8xf32>) -> tensor<4xf32>
    %6 = "stablehlo.all_gather"(%5) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %6 : tensor<8xf32>
  }
  return %4, %3, %0 : tensor<8xf32>, tensor<16xf32>, tensor<8xi32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<8xf32>, tensor<16xf32>, tensor<8xi32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    %1 = stablehlo.tanh %0 : tensor<8xf32>
    %2:2 = "stablehlo.all_gather"(%arg1, %1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xi32>, tensor<8xf32>) -> (tensor<8xi32>, tensor<16xf32>)
    %c = stablehlo.constant dense<false> : tensor<i1>
    %3 = stablehlo.while(%iterArg = %0) : tensor<8xf32>
    cond {
      stablehlo.return %c : tensor<i1>
    } do {
      %4 = stablehlo.slice %iterArg [0:4] : (tensor<8xf32>) -> tensor<4xf32>
      %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
      stablehlo.return %5 : tensor<8xf32>
    }
    return %3, %2#1, %2#0 : tensor<8xf32>, tensor<16xf32>, tensor<8xi32>
  }
}
