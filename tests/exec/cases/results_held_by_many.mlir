// Results that several devices hold alike, each of which makes a part: of arguments, of sums over devices, of a loop; two at once, and in rows that do not divide.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(
    %w: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    %x: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %y: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %v: tensor<6x30x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (
    tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
    tensor<6x30x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>},
    tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<64x256xf32>, tensor<64x128xf32>) -> tensor<256x128xf32>
  %rate = stablehlo.constant dense<0.125> : tensor<256x128xf32>
  %step = stablehlo.multiply %g, %rate : tensor<256x128xf32>
  %new = stablehlo.subtract %w, %step : tensor<256x128xf32>
  %size = stablehlo.abs %step : tensor<256x128xf32>
  %both = stablehlo.add %new, %size : tensor<256x128xf32>
  %two = stablehlo.constant dense<2.0> : tensor<6x30x128xf32>
  %more = stablehlo.power %v, %two : tensor<6x30x128xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %loop:2 = stablehlo.while(%i = %zero, %c = %w) : tensor<i32>, tensor<256x128xf32>
   cond {
    %go = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<64x256xf32>, tensor<64x128xf32>) -> tensor<256x128xf32>
    %half = stablehlo.multiply %d, %rate : tensor<256x128xf32>
    %e = stablehlo.subtract %c, %half : tensor<256x128xf32>
    stablehlo.return %next, %e : tensor<i32>, tensor<256x128xf32>
  }
  %last = stablehlo.negate %loop#1 : tensor<256x128xf32>
  return %new, %size, %both, %more, %last : tensor<256x128xf32>, tensor<256x128xf32>, tensor<256x128xf32>, tensor<6x30x128xf32>, tensor<256x128xf32>
}
