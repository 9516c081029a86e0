// RUN: --localize
// The device that the sharding of a call names makes it, and gives the others what it gave; a call without results has an own sharding.
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @device_1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: !stablehlo.token) -> (tensor<2xbf16>, !stablehlo.token) {
  stablehlo.custom_call @note(%arg0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>]>} : (tensor<8xf32>) -> ()
  %0:2 = stablehlo.custom_call @give(%arg0, %arg1) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>, <@device_1, []>]>} : (tensor<8xf32>, !stablehlo.token) -> (tensor<2xbf16>, !stablehlo.token)
  return %0#0, %0#1 : tensor<2xbf16>, !stablehlo.token
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2xf32>, %arg1: !stablehlo.token) -> (tensor<2xbf16>, !stablehlo.token) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.compare EQ, %1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.if"(%3) ({
      stablehlo.custom_call @note(%2) {has_side_effect = true} : (tensor<8xf32>) -> ()
      stablehlo.return
    }, {
      stablehlo.return
    }) : (tensor<i1>) -> ()
    %4 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.compare EQ, %1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6:2 = "stablehlo.if"(%5) ({
      %8:2 = stablehlo.custom_call @give(%4, %arg1) {has_side_effect = true} : (tensor<8xf32>, !stablehlo.token) -> (tensor<2xbf16>, !stablehlo.token)
      stablehlo.return %8#0, %8#1 : tensor<2xbf16>, !stablehlo.token
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<2xbf16>
      %8 = stablehlo.create_token : !stablehlo.token
      stablehlo.return %cst, %8 : tensor<2xbf16>, !stablehlo.token
    }) : (tensor<i1>) -> (tensor<2xbf16>, !stablehlo.token)
    %7 = "stablehlo.collective_broadcast"(%6#0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[1, 0, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2xbf16>) -> tensor<2xbf16>
    return %7, %6#1 : tensor<2xbf16>, !stablehlo.token
  }
}
