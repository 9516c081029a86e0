// RUN: --sdy-propagation-pipeline --shardc-separate-unreduced --shardc-insert-reshards --shardc-merge-equal-ops --shardc-move-reshards --shardc-reshard-to-collectives --shardc-hoist-collectives --sdy-convert-global-to-local --stablehlo-aggressive-simplification --cse
// A body of one commutative op is printed short; others in full; several operands in pairs.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<4x8xf32>, %k: tensor<4x8xi32>, %z: tensor<f32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
%z79598 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]> : tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %z) across dimensions = [1] {mark} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %2 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  %3:2 = stablehlo.reduce(%x init: %z), (%k init: %i) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %4 = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %4, %b : tensor<f32>, tensor<i32>
  }
  return %1 : tensor<4xf32>
}
