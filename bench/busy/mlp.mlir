// A training step of two dense layers, the batch on four devices: products, and sums of the gradients.
module @mlp {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(
      %x: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %t: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %w1: tensor<256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
      %w2: tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
      -> (tensor<256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
          tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %rate1 = stablehlo.constant dense<1.0e-3> : tensor<256x512xf32>
    %rate2 = stablehlo.constant dense<1.0e-3> : tensor<512x256xf32>
    %one = stablehlo.constant dense<1.0> : tensor<256x512xf32>
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0]
        : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
    %h = stablehlo.tanh %0 : tensor<256x512xf32>
    %y = stablehlo.dot_general %h, %w2, contracting_dims = [1] x [0]
        : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
    %e = stablehlo.subtract %y, %t : tensor<256x256xf32>
    %g2 = stablehlo.dot_general %h, %e, contracting_dims = [0] x [0]
        : (tensor<256x512xf32>, tensor<256x256xf32>) -> tensor<512x256xf32>
    %eh = stablehlo.dot_general %e, %w2, contracting_dims = [1] x [1]
        : (tensor<256x256xf32>, tensor<512x256xf32>) -> tensor<256x512xf32>
    %hh = stablehlo.multiply %h, %h : tensor<256x512xf32>
    %d = stablehlo.subtract %one, %hh : tensor<256x512xf32>
    %eg = stablehlo.multiply %eh, %d : tensor<256x512xf32>
    %g1 = stablehlo.dot_general %x, %eg, contracting_dims = [0] x [0]
        : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
    %s1 = stablehlo.multiply %g1, %rate1 : tensor<256x512xf32>
    %s2 = stablehlo.multiply %g2, %rate2 : tensor<512x256xf32>
    %n1 = stablehlo.subtract %w1, %s1 : tensor<256x512xf32>
    %n2 = stablehlo.subtract %w2, %s2 : tensor<512x256xf32>
    return %n1, %n2 : tensor<256x512xf32>, tensor<512x256xf32>
  }
}
