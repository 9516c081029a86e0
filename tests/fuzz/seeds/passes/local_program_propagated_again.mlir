// RUN: --sdy-propagation-pipeline --shardc-separate-unreduced --shardc-insert-reshards --shardc-merge-equal-ops=keep-redundant-reshards=true --shardc-move-reshards --shardc-reshard-to-collectives --shardc-optimize-collectives=update-non-divisible-input-output-shardings=true --shardc-hoist-collectives --sdy-convert-global-to-local --cse --sdy-pre-order-funcs=propagation-strategy=basic --sdy-propagation-pipeline
// Windows that scatter across the borders of tiles; systems with sharded right sides.
// tolerance: 1e-6
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<2x32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %s: tensor<2x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %s3: tensor<2x15x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %z: tensor<f32>,
  %m: tensor<6x6xf32>, %b: tensor<6x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<2x32x8xf32>, tensor<2x32x8xf32>, tensor<6x32xf32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x32x8xf32>, tensor<2x16x4xf32>, tensor<f32>) -> tensor<2x32x8xf32>
  %1 = "stablehlo.select_and_scatter"(%a, %s3, %z) <{window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x32x8xf32>, tensor<2x15x8xf32>, tensor<f32>) -> tensor<2x32x8xf32>
  %mm = stablehlo.constant dense<2.0> : tensor<6x6xf32>
  %2 = "stablehlo.triangular_solve"(%mm, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
  return %0, %1, %2 : tensor<2x32x8xf32>, tensor<2x32x8xf32>, tensor<6x32xf32>
}
