// Sums over devices of products with a short K on each: one product over all of their K's. Of two contracted dimensions, of batches, of operands whose memory runs along k, in a loop.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(
    %a: tensor<4x12x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
    %b: tensor<4x12x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
    %c: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %d: tensor<384x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>},
    %e: tensor<4x128x20xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>},
    %f: tensor<4x20x128xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}) -> (
    tensor<256x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<256x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    tensor<4x128x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>},
    tensor<256x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0, 1] : (tensor<4x12x256xf32>, tensor<4x12x384xf32>) -> tensor<256x384xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [1] : (tensor<256x128xf32>, tensor<384x128xf32>) -> tensor<256x384xf32>
  %2 = stablehlo.dot_general %e, %f, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x128x20xbf16>, tensor<4x20x128xbf16>) -> tensor<4x128x128xf32>
  %3 = stablehlo.tanh %0 : tensor<256x384xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<2> : tensor<i32>
  %loop:2 = stablehlo.while(%i = %zero, %s = %1) : tensor<i32>, tensor<256x384xf32>
   cond {
    %go = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %g = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0, 1] : (tensor<4x12x256xf32>, tensor<4x12x384xf32>) -> tensor<256x384xf32>
    %h = stablehlo.add %s, %g : tensor<256x384xf32>
    stablehlo.return %next, %h : tensor<i32>, tensor<256x384xf32>
  }
  return %3, %1, %2, %loop#1 : tensor<256x384xf32>, tensor<256x384xf32>, tensor<4x128x128xf32>, tensor<256x384xf32>
}
