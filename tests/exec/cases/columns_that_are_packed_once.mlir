// tolerance: 0.0005
// Columns that are packed once: for a loop, as they lie and turned, of f32 and in groups of bf16, with an epilogue; for devices that share them; sizes that are no whole
// panels are packed by the product.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<40x256xf32>, %w: tensor<256x320xf32>, %v: tensor<256x320xf32>, %odd: tensor<256x300xf32>, %s: tensor<160x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<40x512xbf16>, %m: tensor<512x512xbf16>) -> (tensor<40x256xf32>, tensor<40x300xf32>, tensor<160x320xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<40x512xbf16>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %scale = stablehlo.constant dense<0.05> : tensor<40x320xf32>
  %start = stablehlo.constant dense<0.0> : tensor<40x300xf32>
  %a:4 = stablehlo.while(%i = %zero, %y = %x, %z = %start, %k = %n) : tensor<i32>, tensor<40x256xf32>, tensor<40x300xf32>, tensor<40x512xbf16>
  cond {
    %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<40x256xf32>, tensor<256x320xf32>) -> tensor<40x320xf32>
    %h = stablehlo.multiply %p, %scale : tensor<40x320xf32>
    %q = stablehlo.dot_general %h, %v, contracting_dims = [1] x [1] : (tensor<40x320xf32>, tensor<256x320xf32>) -> tensor<40x256xf32>
    %r = stablehlo.tanh %q : tensor<40x256xf32>
    %o = stablehlo.dot_general %r, %odd, contracting_dims = [1] x [0] : (tensor<40x256xf32>, tensor<256x300xf32>) -> tensor<40x300xf32>
    %b = stablehlo.dot_general %k, %m, contracting_dims = [1] x [0] : (tensor<40x512xbf16>, tensor<512x512xbf16>) -> tensor<40x512xbf16>
    %c = stablehlo.constant dense<0.03125> : tensor<40x512xbf16>
    %d = stablehlo.multiply %b, %c : tensor<40x512xbf16>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %o, %d : tensor<i32>, tensor<40x256xf32>, tensor<40x300xf32>, tensor<40x512xbf16>
  }
  %t = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<160x256xf32>, tensor<256x320xf32>) -> tensor<160x320xf32>
  return %a#1, %a#2, %t, %a#3 : tensor<40x256xf32>, tensor<40x300xf32>, tensor<160x320xf32>, tensor<40x512xbf16>
}
