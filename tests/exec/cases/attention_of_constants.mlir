// Attention whose queries are one number, which nobody stores: what is read where the queries stand is a constant.
// tolerance: 0.02
module @constants {
  sdy.mesh @mesh = <["w"=2, "x"=1, "y"=3]>
  func.func public @main(
      %v24: tensor<1x4x8x4xbf16>,
      %v25: tensor<1x4x8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}, {}], replicated={"w", "x"}>}) -> (tensor<1x8x4x4xbf16>) {
    %v23 = stablehlo.constant dense<-1.0> : tensor<1x8x4x4xbf16>
    %h24 = stablehlo.reshape %v23 : (tensor<1x8x4x4xbf16>) -> tensor<1x4x2x4x4xbf16>
    %h25 = stablehlo.dot_general %h24, %v24, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [3] : (tensor<1x4x2x4x4xbf16>, tensor<1x4x8x4xbf16>) -> tensor<1x4x2x4x8xf32>
    %h26 = stablehlo.constant dense<3.12500000000000000e-02> : tensor<1x4x2x4x8xf32>
    %h27 = stablehlo.multiply %h25, %h26 : tensor<1x4x2x4x8xf32>
    %h28 = stablehlo.iota dim = 0 : tensor<4x8xi32>
    %h29 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %h30 = stablehlo.compare GE, %h28, %h29 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
    %h32 = stablehlo.constant dense<-3.0e4> : tensor<1x4x2x4x8xf32>
    %h31 = stablehlo.broadcast_in_dim %h30, dims = [3, 4] : (tensor<4x8xi1>) -> tensor<1x4x2x4x8xi1>
    %h33 = stablehlo.select %h31, %h27, %h32 : tensor<1x4x2x4x8xi1>, tensor<1x4x2x4x8xf32>
    %h34 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %h35 = stablehlo.reduce(%h33 init: %h34) applies stablehlo.maximum across dimensions = [4] : (tensor<1x4x2x4x8xf32>, tensor<f32>) -> tensor<1x4x2x4xf32>
    %h36 = stablehlo.broadcast_in_dim %h35, dims = [0, 1, 2, 3] : (tensor<1x4x2x4xf32>) -> tensor<1x4x2x4x8xf32>
    %h37 = stablehlo.subtract %h33, %h36 : tensor<1x4x2x4x8xf32>
    %h38 = stablehlo.exponential %h37 : tensor<1x4x2x4x8xf32>
    %h39 = stablehlo.constant dense<0.0> : tensor<f32>
    %h40 = stablehlo.reduce(%h38 init: %h39) applies stablehlo.add across dimensions = [4] : (tensor<1x4x2x4x8xf32>, tensor<f32>) -> tensor<1x4x2x4xf32>
    %h41 = stablehlo.broadcast_in_dim %h40, dims = [0, 1, 2, 3] : (tensor<1x4x2x4xf32>) -> tensor<1x4x2x4x8xf32>
    %h42 = stablehlo.divide %h38, %h41 : tensor<1x4x2x4x8xf32>
    %h43 = stablehlo.convert %h42 : (tensor<1x4x2x4x8xf32>) -> tensor<1x4x2x4x8xbf16>
    %h44 = stablehlo.dot_general %h43, %v25, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [2] : (tensor<1x4x2x4x8xbf16>, tensor<1x4x8x4xbf16>) -> tensor<1x4x2x4x4xbf16>
    %v26 = stablehlo.reshape %h44 : (tensor<1x4x2x4x4xbf16>) -> tensor<1x8x4x4xbf16>
    return %v26 : tensor<1x8x4x4xbf16>
  }
}
