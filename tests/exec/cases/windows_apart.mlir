// Windows that leave elements out between them, over a sharded dimension.
sdy.mesh @mesh = <["w"=4]>
func.func @main(%a: tensor<3x10xf32>, %b: tensor<2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w":(1)2}, {}]>}) -> tensor<3x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%a, %b, %zero) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x10xf32>, tensor<2x5xf32>, tensor<f32>) -> tensor<3x10xf32>
  return %0 : tensor<3x10xf32>
}
