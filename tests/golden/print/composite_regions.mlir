// RUN: --verify-roundtrip
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.composite"(%a) ({
  ^bb0(%arg1: tensor<4xf32>):
    stablehlo.return %arg1 : tensor<4xf32>
  }) {name = "my.f", decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = #stablehlo.replica_group_mesh_axes<
      mesh = @mesh, axes = [ #stablehlo.axis_ref<name = "x"> ]
    >}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
sdy.mesh @mesh = <["x"=2]>
// ---- expect
module {
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.composite"(%arg0) <{decomposition = @f, name = "my.f"}> ({
    ^bb0(%arg1: tensor<4xf32>):
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  sdy.mesh @mesh = <["x"=2]>
}
