// RUN: --shardc-combine-collectives
// The number %0 is summed over all devices. By rows it goes with %1, by columns with %4: two meetings instead of three. The second
// function has an order of devices in which they would not add alike: there it stays one sum.
func.func @main(%arg0: tensor<f32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.all_reduce"(%arg1) <{replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = stablehlo.tanh %1 : tensor<64xf32>
  %3 = stablehlo.add %2, %arg2 : tensor<64xf32>
  %4 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %4 : tensor<f32>, tensor<64xf32>, tensor<64xf32>
}
func.func @crossed(%arg0: tensor<f32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.all_reduce"(%arg1) <{replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = stablehlo.tanh %1 : tensor<64xf32>
  %3 = stablehlo.add %2, %arg2 : tensor<64xf32>
  %4 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[0, 3], [4, 1], [2, 5]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %4 : tensor<f32>, tensor<64xf32>, tensor<64xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
    %0:2 = "stablehlo.all_reduce"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %4 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<f32>, tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>)
    %1 = stablehlo.tanh %0#1 : tensor<64xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<64xf32>
    %3:2 = "stablehlo.all_reduce"(%0#0, %2) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %4 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<f32>, tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>)
    return %3#0, %0#1, %3#1 : tensor<f32>, tensor<64xf32>, tensor<64xf32>
  }
  func.func @crossed(%arg0: tensor<f32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %5 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %5 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %2 = stablehlo.tanh %1 : tensor<64xf32>
    %3 = stablehlo.add %2, %arg2 : tensor<64xf32>
    %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 3], [4, 1], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %5 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    return %0, %1, %4 : tensor<f32>, tensor<64xf32>, tensor<64xf32>
  }
}
