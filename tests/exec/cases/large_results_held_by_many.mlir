// Results beyond the caches that several devices hold alike: written around the caches, copied, transposed, summed, two at once, in parts that begin within a cache line.
// tolerance: 1e-5
sdy.mesh @mesh = <["x"=3, "y"=2]>
func.func @main(
    %w: tensor<1026x1050xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %m: tensor<1026x1025xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %t: tensor<1026x1026xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    %s: tensor<2x1026x1025xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}) -> (
    tensor<1026x1025xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<1026x1050xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<1026x1025xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<1026x1026xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<1026x1025xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<1026x1026xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<1026x1026xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.negate %m : tensor<1026x1025xf32>
  %1 = stablehlo.multiply %w, %w : tensor<1026x1050xf32>
  %2 = stablehlo.transpose %t, dims = [1, 0] : (tensor<1026x1026xf32>) -> tensor<1026x1026xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x1026x1025xf32>, tensor<f32>) -> tensor<1026x1025xf32>
  %4 = stablehlo.abs %t : tensor<1026x1026xf32>
  %5 = stablehlo.add %4, %t : tensor<1026x1026xf32>
  return %0, %1, %m, %2, %3, %4, %5 : tensor<1026x1025xf32>, tensor<1026x1050xf32>, tensor<1026x1025xf32>, tensor<1026x1026xf32>, tensor<1026x1025xf32>, tensor<1026x1026xf32>, tensor<1026x1026xf32>
}
