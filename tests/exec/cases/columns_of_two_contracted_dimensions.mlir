// tolerance: 0.0005
// Columns that devices pack together, and that a loop finds packed, of products over two dimensions: in the operand's order, in another, gathered from devices, and
// in groups of bf16.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<160x4x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %w: tensor<4x64x512xf32>, %v: tensor<64x512x4xf32>, %g: tensor<4x64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %n: tensor<40x8x64xbf16>, %m: tensor<64x512x8xbf16>) -> (tensor<160x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<160x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<160x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<40x8x64xbf16>) {
  %a = stablehlo.dot_general %x, %w, contracting_dims = [1, 2] x [0, 1] : (tensor<160x4x64xf32>, tensor<4x64x512xf32>) -> tensor<160x512xf32>
  %b = stablehlo.dot_general %x, %v, contracting_dims = [2, 1] x [0, 2] : (tensor<160x4x64xf32>, tensor<64x512x4xf32>) -> tensor<160x512xf32>
  %c = stablehlo.dot_general %x, %g, contracting_dims = [1, 2] x [0, 1] : (tensor<160x4x64xf32>, tensor<4x64x512xf32>) -> tensor<160x512xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %l:2 = stablehlo.while(%i = %zero, %y = %n) : tensor<i32>, tensor<40x8x64xbf16>
  cond {
    %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %m, contracting_dims = [1, 2] x [2, 0] : (tensor<40x8x64xbf16>, tensor<64x512x8xbf16>) -> tensor<40x512xbf16>
    %s = stablehlo.constant dense<0.03125> : tensor<40x512xbf16>
    %q = stablehlo.multiply %p, %s : tensor<40x512xbf16>
    %r = stablehlo.reshape %q : (tensor<40x512xbf16>) -> tensor<40x8x64xbf16>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r : tensor<i32>, tensor<40x8x64xbf16>
  }
  return %a, %b, %c, %l#1 : tensor<160x512xf32>, tensor<160x512xf32>, tensor<160x512xf32>, tensor<40x8x64xbf16>
}
