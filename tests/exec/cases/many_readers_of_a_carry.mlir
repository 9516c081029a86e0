// As many_readers.mlir, with a loop that carries a result.
module @random {
  sdy.mesh @mesh = <["x"=3, "y"=2], device_ids=[5, 3, 1, 2, 4, 0]>
  func.func public @main(
      %v0: tensor<4x5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
      %v6: tensor<1x4x5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {?}, {}]>},
      %v7: tensor<i32>,
      %v13: tensor<1x4x5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {?}]>},
      %v23: tensor<1x4x8x5xf32>,
      %v32: tensor<1x4x5xf32>) -> (tensor<1x4x5xf32>, tensor<5xbf16>, tensor<1x4x8x5xf32>, tensor<1x4x5xbf16>, tensor<2x4x5xbf16>, tensor<5xbf16>) {
    %v4 = stablehlo.reshape %v0 : (tensor<4x5xbf16>) -> tensor<1x4x5xbf16>
    %h4 = stablehlo.constant dense<0> : tensor<i32>
    %h5 = stablehlo.constant dense<1> : tensor<i32>
    %h6:2 = stablehlo.while(%i = %h4, %acc = %v4) : tensor<i32>, tensor<1x4x5xbf16>
     cond {
      %go = stablehlo.compare LT, %i, %v7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %back = stablehlo.reverse %acc, dims = [0] : tensor<1x4x5xbf16>
      %next = stablehlo.add %back, %v6 : tensor<1x4x5xbf16>
      %j = stablehlo.add %i, %h5 : tensor<i32>
      stablehlo.return %j, %next : tensor<i32>, tensor<1x4x5xbf16>
    }
    %v8 = stablehlo.reshape %h6#1 : (tensor<1x4x5xbf16>) -> tensor<1x4x5xbf16>
    %h17 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v20 = stablehlo.reduce(%v8 init: %h17) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<1x4x5xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %v21 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x4x5xbf16>) -> tensor<2x4x5xbf16>
    %u28 = stablehlo.maximum %v23, %v23 : tensor<1x4x8x5xf32>
    %v28 = sdy.sharding_constraint %u28 <@mesh, [{}, {"x"}, {}, {}]> : tensor<1x4x8x5xf32>
    %h18 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %v29 = stablehlo.reduce(%v21 init: %h18) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x4x5xbf16>, tensor<bf16>) -> tensor<5xbf16>
    return %v32, %v29, %v28, %v4, %v21, %v20 : tensor<1x4x5xf32>, tensor<5xbf16>, tensor<1x4x8x5xf32>, tensor<1x4x5xbf16>, tensor<2x4x5xbf16>, tensor<5xbf16>
  }
}
