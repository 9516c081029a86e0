// Softmaxes and sums along other dimensions than the last: columns that are made together, of odd
// sizes, and of arrays whose columns or rows are sharded.
// tolerance: 1e-5
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(%a: tensor<300x1001xf32>, %b: tensor<64x512xf64>, %c: tensor<3x50x4x261xf32>, %d: tensor<40x6x130xi32>, %e: tensor<64x1000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %f: tensor<70x1026xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %g: tensor<6x40x333xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y"}]>}, %h: tensor<33x2x512xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}, %k: tensor<2048x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<300x1001xf32>, tensor<1001xf32>, tensor<64x512xf64>, tensor<512xf64>, tensor<3x50x4x261xf32>, tensor<3x4x261xf32>, tensor<40x6x130xi32>, tensor<130xi32>, tensor<64x1000xf32>, tensor<1000xf32>, tensor<70x1026xf32>, tensor<1026xf32>, tensor<6x40x333xf32>, tensor<6x333xf32>, tensor<33x2x512xi64>, tensor<2x512xi64>, tensor<2048x16xf32>, tensor<16xf32>) {
  %al = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %az = stablehlo.constant dense<0.0> : tensor<f32>
  %am = stablehlo.reduce(%a init: %al) applies stablehlo.maximum across dimensions = [0] : (tensor<300x1001xf32>, tensor<f32>) -> tensor<1001xf32>
  %ab = stablehlo.broadcast_in_dim %am, dims = [1] : (tensor<1001xf32>) -> tensor<300x1001xf32>
  %ad = stablehlo.subtract %a, %ab : tensor<300x1001xf32>
  %ae = stablehlo.exponential %ad : tensor<300x1001xf32>
  %as = stablehlo.reduce(%ae init: %az) applies stablehlo.add across dimensions = [0] : (tensor<300x1001xf32>, tensor<f32>) -> tensor<1001xf32>
  %ag = stablehlo.log %as : tensor<1001xf32>
  %ac = stablehlo.broadcast_in_dim %ag, dims = [1] : (tensor<1001xf32>) -> tensor<300x1001xf32>
  %ay = stablehlo.subtract %ad, %ac : tensor<300x1001xf32>
  %bl = stablehlo.constant dense<-1.0e300> : tensor<f64>
  %bz = stablehlo.constant dense<0.0> : tensor<f64>
  %bm = stablehlo.reduce(%b init: %bl) applies stablehlo.maximum across dimensions = [0] : (tensor<64x512xf64>, tensor<f64>) -> tensor<512xf64>
  %bb = stablehlo.broadcast_in_dim %bm, dims = [1] : (tensor<512xf64>) -> tensor<64x512xf64>
  %bd = stablehlo.subtract %b, %bb : tensor<64x512xf64>
  %be = stablehlo.exponential %bd : tensor<64x512xf64>
  %bs = stablehlo.reduce(%be init: %bz) applies stablehlo.add across dimensions = [0] : (tensor<64x512xf64>, tensor<f64>) -> tensor<512xf64>
  %bg = stablehlo.log %bs : tensor<512xf64>
  %bc = stablehlo.broadcast_in_dim %bg, dims = [1] : (tensor<512xf64>) -> tensor<64x512xf64>
  %by = stablehlo.subtract %bd, %bc : tensor<64x512xf64>
  %cl = stablehlo.constant dense<-1.0e30> : tensor<f32>
  %cz = stablehlo.constant dense<0.0> : tensor<f32>
  %cm = stablehlo.reduce(%c init: %cl) applies stablehlo.maximum across dimensions = [1] : (tensor<3x50x4x261xf32>, tensor<f32>) -> tensor<3x4x261xf32>
  %cb = stablehlo.broadcast_in_dim %cm, dims = [0, 2, 3] : (tensor<3x4x261xf32>) -> tensor<3x50x4x261xf32>
  %cd = stablehlo.subtract %c, %cb : tensor<3x50x4x261xf32>
  %ce = stablehlo.exponential %cd : tensor<3x50x4x261xf32>
  %cs = stablehlo.reduce(%ce init: %cz) applies stablehlo.add across dimensions = [1] : (tensor<3x50x4x261xf32>, tensor<f32>) -> tensor<3x4x261xf32>
  %cg = stablehlo.log %cs : tensor<3x4x261xf32>
  %cc = stablehlo.broadcast_in_dim %cg, dims = [0, 2, 3] : (tensor<3x4x261xf32>) -> tensor<3x50x4x261xf32>
  %cy = stablehlo.subtract %cd, %cc : tensor<3x50x4x261xf32>
  %dl = stablehlo.constant dense<-2147483648> : tensor<i32>
  %dz = stablehlo.constant dense<0> : tensor<i32>
  %dm = stablehlo.reduce(%d init: %dl) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<40x6x130xi32>, tensor<i32>) -> tensor<130xi32>
  %db = stablehlo.broadcast_in_dim %dm, dims = [2] : (tensor<130xi32>) -> tensor<40x6x130xi32>
  %dd = stablehlo.subtract %d, %db : tensor<40x6x130xi32>
  %de = stablehlo.multiply %dd, %dd : tensor<40x6x130xi32>
  %ds = stablehlo.reduce(%de init: %dz) applies stablehlo.add across dimensions = [0, 1] : (tensor<40x6x130xi32>, tensor<i32>) -> tensor<130xi32>
  %dg = stablehlo.add %ds, %dm : tensor<130xi32>
  %dc = stablehlo.broadcast_in_dim %dg, dims = [2] : (tensor<130xi32>) -> tensor<40x6x130xi32>
  %dy = stablehlo.subtract %dd, %dc : tensor<40x6x130xi32>
  %el = stablehlo.constant dense<-1.0e30> : tensor<f32>
  %ez = stablehlo.constant dense<0.0> : tensor<f32>
  %em = stablehlo.reduce(%e init: %el) applies stablehlo.maximum across dimensions = [0] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %eb = stablehlo.broadcast_in_dim %em, dims = [1] : (tensor<1000xf32>) -> tensor<64x1000xf32>
  %ed = stablehlo.subtract %e, %eb : tensor<64x1000xf32>
  %ee = stablehlo.exponential %ed : tensor<64x1000xf32>
  %es = stablehlo.reduce(%ee init: %ez) applies stablehlo.add across dimensions = [0] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %eg = stablehlo.log %es : tensor<1000xf32>
  %ec = stablehlo.broadcast_in_dim %eg, dims = [1] : (tensor<1000xf32>) -> tensor<64x1000xf32>
  %ey = stablehlo.subtract %ed, %ec : tensor<64x1000xf32>
  %fl = stablehlo.constant dense<-1.0e30> : tensor<f32>
  %fz = stablehlo.constant dense<0.0> : tensor<f32>
  %fm = stablehlo.reduce(%f init: %fl) applies stablehlo.maximum across dimensions = [0] : (tensor<70x1026xf32>, tensor<f32>) -> tensor<1026xf32>
  %fb = stablehlo.broadcast_in_dim %fm, dims = [1] : (tensor<1026xf32>) -> tensor<70x1026xf32>
  %fd = stablehlo.subtract %f, %fb : tensor<70x1026xf32>
  %fe = stablehlo.exponential %fd : tensor<70x1026xf32>
  %fs = stablehlo.reduce(%fe init: %fz) applies stablehlo.add across dimensions = [0] : (tensor<70x1026xf32>, tensor<f32>) -> tensor<1026xf32>
  %fg = stablehlo.log %fs : tensor<1026xf32>
  %fc = stablehlo.broadcast_in_dim %fg, dims = [1] : (tensor<1026xf32>) -> tensor<70x1026xf32>
  %fy = stablehlo.subtract %fd, %fc : tensor<70x1026xf32>
  %gl = stablehlo.constant dense<-1.0e30> : tensor<f32>
  %gz = stablehlo.constant dense<0.0> : tensor<f32>
  %gm = stablehlo.reduce(%g init: %gl) applies stablehlo.maximum across dimensions = [1] : (tensor<6x40x333xf32>, tensor<f32>) -> tensor<6x333xf32>
  %gb = stablehlo.broadcast_in_dim %gm, dims = [0, 2] : (tensor<6x333xf32>) -> tensor<6x40x333xf32>
  %gd = stablehlo.subtract %g, %gb : tensor<6x40x333xf32>
  %ge = stablehlo.exponential %gd : tensor<6x40x333xf32>
  %gs = stablehlo.reduce(%ge init: %gz) applies stablehlo.add across dimensions = [1] : (tensor<6x40x333xf32>, tensor<f32>) -> tensor<6x333xf32>
  %gg = stablehlo.log %gs : tensor<6x333xf32>
  %gc = stablehlo.broadcast_in_dim %gg, dims = [0, 2] : (tensor<6x333xf32>) -> tensor<6x40x333xf32>
  %gy = stablehlo.subtract %gd, %gc : tensor<6x40x333xf32>
  %hl = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %hz = stablehlo.constant dense<0> : tensor<i64>
  %hm = stablehlo.reduce(%h init: %hl) applies stablehlo.maximum across dimensions = [0] : (tensor<33x2x512xi64>, tensor<i64>) -> tensor<2x512xi64>
  %hb = stablehlo.broadcast_in_dim %hm, dims = [1, 2] : (tensor<2x512xi64>) -> tensor<33x2x512xi64>
  %hd = stablehlo.subtract %h, %hb : tensor<33x2x512xi64>
  %he = stablehlo.multiply %hd, %hd : tensor<33x2x512xi64>
  %hs = stablehlo.reduce(%he init: %hz) applies stablehlo.add across dimensions = [0] : (tensor<33x2x512xi64>, tensor<i64>) -> tensor<2x512xi64>
  %hg = stablehlo.add %hs, %hm : tensor<2x512xi64>
  %hc = stablehlo.broadcast_in_dim %hg, dims = [1, 2] : (tensor<2x512xi64>) -> tensor<33x2x512xi64>
  %hy = stablehlo.subtract %hd, %hc : tensor<33x2x512xi64>
  %kl = stablehlo.constant dense<-1.0e30> : tensor<f32>
  %kz = stablehlo.constant dense<0.0> : tensor<f32>
  %km = stablehlo.reduce(%k init: %kl) applies stablehlo.maximum across dimensions = [0] : (tensor<2048x16xf32>, tensor<f32>) -> tensor<16xf32>
  %kb = stablehlo.broadcast_in_dim %km, dims = [1] : (tensor<16xf32>) -> tensor<2048x16xf32>
  %kd = stablehlo.subtract %k, %kb : tensor<2048x16xf32>
  %ke = stablehlo.exponential %kd : tensor<2048x16xf32>
  %ks = stablehlo.reduce(%ke init: %kz) applies stablehlo.add across dimensions = [0] : (tensor<2048x16xf32>, tensor<f32>) -> tensor<16xf32>
  %kg = stablehlo.log %ks : tensor<16xf32>
  %kc = stablehlo.broadcast_in_dim %kg, dims = [1] : (tensor<16xf32>) -> tensor<2048x16xf32>
  %ky = stablehlo.subtract %kd, %kc : tensor<2048x16xf32>
  return %ay, %ag, %by, %bg, %cy, %cg, %dy, %dg, %ey, %eg, %fy, %fg, %gy, %gg, %hy, %hg, %ky, %kg : tensor<300x1001xf32>, tensor<1001xf32>, tensor<64x512xf64>, tensor<512xf64>, tensor<3x50x4x261xf32>, tensor<3x4x261xf32>, tensor<40x6x130xi32>, tensor<130xi32>, tensor<64x1000xf32>, tensor<1000xf32>, tensor<70x1026xf32>, tensor<1026xf32>, tensor<6x40x333xf32>, tensor<6x333xf32>, tensor<33x2x512xi64>, tensor<2x512xi64>, tensor<2048x16xf32>, tensor<16xf32>
}
