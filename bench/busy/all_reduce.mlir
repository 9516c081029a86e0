// The sum of 2 KiB over two devices, with something around it: two barriers.
module @all_reduce {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(
      %a: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<512x64xf32>, tensor<f32>) -> tensor<512xf32>
    %1 = stablehlo.tanh %0 : tensor<512xf32>
    return %1 : tensor<512xf32>
  }
}
