// Reductions of the same elements, which become one kernel: moments, gradients of a norm's scale and
// offset, extrema, of rows and of columns, in two levels, sharded, in a loop, with readers between.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<700x96xf32>, %b: tensor<40x5x130xf32>, %g: tensor<1024x256xf32>, %h: tensor<1024x256xf32>, %k: tensor<9000x48xf64>, %n: tensor<64x300xi32>, %s: tensor<256x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %v: tensor<200x64xbf16>) -> (tensor<96xf32>, tensor<96xf32>, tensor<5xf32>, tensor<5xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<48xf64>, tensor<48xf64>, tensor<48xf64>, tensor<300xi32>, tensor<300xi32>, tensor<64xi32>, tensor<128xf32>, tensor<128xf32>, tensor<64xf32>, tensor<64xf32>, tensor<96xf32>, tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zd = stablehlo.constant dense<0.0> : tensor<f64>
  %aq = stablehlo.multiply %a, %a : tensor<700x96xf32>
  %as = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<700x96xf32>, tensor<f32>) -> tensor<96xf32>
  %an = stablehlo.constant dense<700.0> : tensor<96xf32>
  %am = stablehlo.divide %as, %an : tensor<96xf32>
  %at = stablehlo.reduce(%aq init: %z) applies stablehlo.add across dimensions = [0] : (tensor<700x96xf32>, tensor<f32>) -> tensor<96xf32>
  %au = stablehlo.divide %at, %an : tensor<96xf32>
  %aw = stablehlo.multiply %am, %am : tensor<96xf32>
  %av = stablehlo.subtract %au, %aw : tensor<96xf32>
  %bs = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<40x5x130xf32>, tensor<f32>) -> tensor<5xf32>
  %bl = stablehlo.exponential %b : tensor<40x5x130xf32>
  %bt = stablehlo.reduce(%bl init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<40x5x130xf32>, tensor<f32>) -> tensor<5xf32>
  %gh = stablehlo.multiply %g, %h : tensor<1024x256xf32>
  %g0 = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<256xf32>
  %g1 = stablehlo.reduce(%gh init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<256xf32>
  %g2 = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<1024xf32>
  %g3 = stablehlo.reduce(%gh init: %z) applies stablehlo.add across dimensions = [1] : (tensor<1024x256xf32>, tensor<f32>) -> tensor<1024xf32>
  %k2 = stablehlo.multiply %k, %k : tensor<9000x48xf64>
  %k3 = stablehlo.multiply %k2, %k : tensor<9000x48xf64>
  %ka = stablehlo.reduce(%k init: %zd) applies stablehlo.add across dimensions = [0] : (tensor<9000x48xf64>, tensor<f64>) -> tensor<48xf64>
  %kb = stablehlo.reduce(%k2 init: %zd) applies stablehlo.add across dimensions = [0] : (tensor<9000x48xf64>, tensor<f64>) -> tensor<48xf64>
  %kc = stablehlo.reduce(%k3 init: %zd) applies stablehlo.add across dimensions = [0] : (tensor<9000x48xf64>, tensor<f64>) -> tensor<48xf64>
  %nl = stablehlo.constant dense<-2147483648> : tensor<i32>
  %nh = stablehlo.constant dense<2147483647> : tensor<i32>
  %n0 = stablehlo.reduce(%n init: %nl) applies stablehlo.maximum across dimensions = [0] : (tensor<64x300xi32>, tensor<i32>) -> tensor<300xi32>
  %n1 = stablehlo.reduce(%n init: %nh) applies stablehlo.minimum across dimensions = [0] : (tensor<64x300xi32>, tensor<i32>) -> tensor<300xi32>
  %n2 = stablehlo.reduce(%n init: %nh) applies stablehlo.minimum across dimensions = [1] : (tensor<64x300xi32>, tensor<i32>) -> tensor<64xi32>
  %sq = stablehlo.multiply %s, %s : tensor<256x128xf32>
  %s0 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x128xf32>, tensor<f32>) -> tensor<128xf32>
  %s1 = stablehlo.reduce(%sq init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x128xf32>, tensor<f32>) -> tensor<128xf32>
  %vf = stablehlo.convert %v : (tensor<200x64xbf16>) -> tensor<200x64xf32>
  %vq = stablehlo.multiply %vf, %vf : tensor<200x64xf32>
  %v0 = stablehlo.reduce(%vf init: %z) applies stablehlo.add across dimensions = [0] : (tensor<200x64xf32>, tensor<f32>) -> tensor<64xf32>
  %v1 = stablehlo.reduce(%vq init: %z) applies stablehlo.add across dimensions = [0] : (tensor<200x64xf32>, tensor<f32>) -> tensor<64xf32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %i3 = stablehlo.constant dense<3> : tensor<i32>
  %l0 = stablehlo.constant dense<0.0> : tensor<96xf32>
  %r:2 = stablehlo.while(%i = %i0, %l = %l0) : tensor<i32>, tensor<96xf32>
  cond {
    %p = stablehlo.compare LT, %i, %i3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %lb = stablehlo.broadcast_in_dim %l, dims = [1] : (tensor<96xf32>) -> tensor<700x96xf32>
    %x = stablehlo.subtract %a, %lb : tensor<700x96xf32>
    %x0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<700x96xf32>, tensor<f32>) -> tensor<96xf32>
    %xt = stablehlo.tanh %x : tensor<700x96xf32>
    %x1 = stablehlo.reduce(%xt init: %z) applies stablehlo.add across dimensions = [0] : (tensor<700x96xf32>, tensor<f32>) -> tensor<96xf32>
    %y = stablehlo.add %x0, %x1 : tensor<96xf32>
    %w = stablehlo.divide %y, %an : tensor<96xf32>
    %j = stablehlo.add %i, %i1 : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<96xf32>
  }
  %t0 = stablehlo.reduce(%k init: %zd) applies stablehlo.add across dimensions = [0, 1] : (tensor<9000x48xf64>, tensor<f64>) -> tensor<f64>
  %t0f = stablehlo.convert %t0 : (tensor<f64>) -> tensor<f32>
  %tb = stablehlo.broadcast_in_dim %t0, dims = [] : (tensor<f64>) -> tensor<9000x48xf64>
  %td = stablehlo.subtract %k, %tb : tensor<9000x48xf64>
  %ta = stablehlo.abs %td : tensor<9000x48xf64>
  %t1 = stablehlo.reduce(%ta init: %zd) applies stablehlo.add across dimensions = [0, 1] : (tensor<9000x48xf64>, tensor<f64>) -> tensor<f64>
  %tn = stablehlo.constant dense<432000.0> : tensor<f64>
  %t2 = stablehlo.divide %t1, %tn : tensor<f64>
  %t1f = stablehlo.convert %t2 : (tensor<f64>) -> tensor<f32>
  return %am, %av, %bs, %bt, %g0, %g1, %g2, %g3, %ka, %kb, %kc, %n0, %n1, %n2, %s0, %s1, %v0, %v1, %r#1, %t0f, %t1f : tensor<96xf32>, tensor<96xf32>, tensor<5xf32>, tensor<5xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<48xf64>, tensor<48xf64>, tensor<48xf64>, tensor<300xi32>, tensor<300xi32>, tensor<64xi32>, tensor<128xf32>, tensor<128xf32>, tensor<64xf32>, tensor<64xf32>, tensor<96xf32>, tensor<f32>, tensor<f32>
}
