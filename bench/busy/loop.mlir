// A small loop on two devices with a sum over them in every round: nothing but barriers.
module @loop {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(
      %a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %rounds = stablehlo.constant dense<20000> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %scale = stablehlo.constant dense<1.0e-3> : tensor<8xf32>
    %half = stablehlo.constant dense<0.5> : tensor<64x8xf32>
    %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<64x8xf32>
      cond {
        %c = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %sum = stablehlo.reduce(%x init: %none) applies stablehlo.add across dimensions = [0]
            : (tensor<64x8xf32>, tensor<f32>) -> tensor<8xf32>
        %small = stablehlo.multiply %sum, %scale : tensor<8xf32>
        %all = stablehlo.broadcast_in_dim %small, dims = [1] : (tensor<8xf32>) -> tensor<64x8xf32>
        %y = stablehlo.multiply %x, %half : tensor<64x8xf32>
        %z = stablehlo.add %y, %all : tensor<64x8xf32>
        stablehlo.return %next, %z : tensor<i32>, tensor<64x8xf32>
      }
    return %r#1 : tensor<64x8xf32>
  }
}
