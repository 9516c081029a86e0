// Reductions of short rows that lie one after the other in memory, step by step: odd numbers of steps
// and columns, several types, some reduced dimensions, sharded ones.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a0: tensor<1000x48xf32>, %a1: tensor<130x3x32xf32>, %a2: tensor<77x16xf64>, %a3: tensor<200x100xf32>, %a4: tensor<1000x64xi32>, %a5: tensor<300x256xbf16>, %a6: tensor<9x512xf32>, %a7: tensor<5x70x200xf32>, %a8: tensor<3x20x4x64xf32>, %a9: tensor<2x64x40x128xf32>, %a10: tensor<64x3000xf32>, %a11: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %a12: tensor<300x128xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %p: tensor<333x96xf32>, %q: tensor<333x96xf32>, %w: tensor<96xf32>, %v: tensor<150x40xf32>) -> (tensor<48xf32>, tensor<32xf32>, tensor<16xf64>, tensor<100xf32>, tensor<64xi32>, tensor<256xbf16>, tensor<512xf32>, tensor<5x200xf32>, tensor<20x64xf32>, tensor<2x40x128xf32>, tensor<3000xf32>, tensor<64xf32>, tensor<128xf64>, tensor<96xf32>, tensor<40xf32>, tensor<40xi32>) {
  %a0z = stablehlo.constant dense<0.0> : tensor<f32>
  %a0r = stablehlo.reduce(%a0 init: %a0z) applies stablehlo.add across dimensions = [0] : (tensor<1000x48xf32>, tensor<f32>) -> tensor<48xf32>
  %a1z = stablehlo.constant dense<0.0> : tensor<f32>
  %a1r = stablehlo.reduce(%a1 init: %a1z) applies stablehlo.add across dimensions = [0, 1] : (tensor<130x3x32xf32>, tensor<f32>) -> tensor<32xf32>
  %a2z = stablehlo.constant dense<0.0> : tensor<f64>
  %a2r = stablehlo.reduce(%a2 init: %a2z) applies stablehlo.add across dimensions = [0] : (tensor<77x16xf64>, tensor<f64>) -> tensor<16xf64>
  %a3z = stablehlo.constant dense<-1000000.0> : tensor<f32>
  %a3r = stablehlo.reduce(%a3 init: %a3z) applies stablehlo.maximum across dimensions = [0] : (tensor<200x100xf32>, tensor<f32>) -> tensor<100xf32>
  %a4z = stablehlo.constant dense<0> : tensor<i32>
  %a4r = stablehlo.reduce(%a4 init: %a4z) applies stablehlo.add across dimensions = [0] : (tensor<1000x64xi32>, tensor<i32>) -> tensor<64xi32>
  %a5z = stablehlo.constant dense<0.0> : tensor<bf16>
  %a5r = stablehlo.reduce(%a5 init: %a5z) applies stablehlo.add across dimensions = [0] : (tensor<300x256xbf16>, tensor<bf16>) -> tensor<256xbf16>
  %a6z = stablehlo.constant dense<1.0> : tensor<f32>
  %a6r = stablehlo.reduce(%a6 init: %a6z) applies stablehlo.multiply across dimensions = [0] : (tensor<9x512xf32>, tensor<f32>) -> tensor<512xf32>
  %a7z = stablehlo.constant dense<0.0> : tensor<f32>
  %a7r = stablehlo.reduce(%a7 init: %a7z) applies stablehlo.add across dimensions = [1] : (tensor<5x70x200xf32>, tensor<f32>) -> tensor<5x200xf32>
  %a8z = stablehlo.constant dense<0.0> : tensor<f32>
  %a8r = stablehlo.reduce(%a8 init: %a8z) applies stablehlo.add across dimensions = [0, 2] : (tensor<3x20x4x64xf32>, tensor<f32>) -> tensor<20x64xf32>
  %a9z = stablehlo.constant dense<0.0> : tensor<f32>
  %a9r = stablehlo.reduce(%a9 init: %a9z) applies stablehlo.add across dimensions = [1] : (tensor<2x64x40x128xf32>, tensor<f32>) -> tensor<2x40x128xf32>
  %a10z = stablehlo.constant dense<0.0> : tensor<f32>
  %a10r = stablehlo.reduce(%a10 init: %a10z) applies stablehlo.add across dimensions = [0] : (tensor<64x3000xf32>, tensor<f32>) -> tensor<3000xf32>
  %a11z = stablehlo.constant dense<0.0> : tensor<f32>
  %a11r = stablehlo.reduce(%a11 init: %a11z) applies stablehlo.add across dimensions = [0] : (tensor<256x64xf32>, tensor<f32>) -> tensor<64xf32>
  %a12z = stablehlo.constant dense<0.0> : tensor<f64>
  %a12r = stablehlo.reduce(%a12 init: %a12z) applies stablehlo.add across dimensions = [0] : (tensor<300x128xf64>, tensor<f64>) -> tensor<128xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %wb = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<96xf32>) -> tensor<333x96xf32>
  %pq = stablehlo.multiply %p, %q : tensor<333x96xf32>
  %pw = stablehlo.subtract %pq, %wb : tensor<333x96xf32>
  %ps = stablehlo.reduce(%pw init: %z) applies stablehlo.add across dimensions = [0] : (tensor<333x96xf32>, tensor<f32>) -> tensor<96xf32>
  %i = stablehlo.iota dim = 0 : tensor<150x40xi32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %o:2 = stablehlo.reduce(%v init: %l), (%i init: %n) across dimensions = [0] : (tensor<150x40xf32>, tensor<150x40xi32>, tensor<f32>, tensor<i32>) -> (tensor<40xf32>, tensor<40xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
    %c = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %e = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>
    %f = stablehlo.select %c, %s, %t : tensor<i1>, tensor<i32>
    stablehlo.return %e, %f : tensor<f32>, tensor<i32>
  }
  return %a0r, %a1r, %a2r, %a3r, %a4r, %a5r, %a6r, %a7r, %a8r, %a9r, %a10r, %a11r, %a12r, %ps, %o#0, %o#1 : tensor<48xf32>, tensor<32xf32>, tensor<16xf64>, tensor<100xf32>, tensor<64xi32>, tensor<256xbf16>, tensor<512xf32>, tensor<5x200xf32>, tensor<20x64xf32>, tensor<2x40x128xf32>, tensor<3000xf32>, tensor<64xf32>, tensor<128xf64>, tensor<96xf32>, tensor<40xf32>, tensor<40xi32>
}
