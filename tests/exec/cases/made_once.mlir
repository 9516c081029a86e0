// What devices along an axis hold alike is made once: products, rows, sums, a convolution with halos, sorted rows, carries of loops, updates in place, branches, and results of which each device keeps a tile.
// tolerance: 1e-4
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%x: tensor<96x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<256x192xf32>, %v: tensor<192x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %img: tensor<2x32x48x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>}, %f: tensor<3x3x16x32xf32>, %n: tensor<i32>) -> (tensor<96x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<96x256xf32>, tensor<96xf32>, tensor<2x32x48x32xf32>, tensor<96x256xf32>, tensor<96x256xf32>, tensor<512x256xf32>, tensor<96x256xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %tenth = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<96x256xf32>, tensor<256x192xf32>) -> tensor<96x192xf32>
    %t = stablehlo.tanh %p : tensor<96x192xf32>
    %q = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<96x192xf32>, tensor<192x256xf32>) -> tensor<96x256xf32>
    %m = stablehlo.reduce(%q init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<96x256xf32>, tensor<f32>) -> tensor<96xf32>
    %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<96xf32>) -> tensor<96x256xf32>
    %d = stablehlo.subtract %q, %mb : tensor<96x256xf32>
    %e = stablehlo.exponential %d : tensor<96x256xf32>
    %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<96x256xf32>, tensor<f32>) -> tensor<96xf32>
    %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<96xf32>) -> tensor<96x256xf32>
    %soft = stablehlo.divide %e, %sb : tensor<96x256xf32>
    %conv = stablehlo.convolution(%img, %f) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x48x16xf32>, tensor<3x3x16x32xf32>) -> tensor<2x32x48x32xf32>
    %sorted = "stablehlo.sort"(%q) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %lt = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) : (tensor<96x256xf32>) -> tensor<96x256xf32>
    %all = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<512x256xf32>
    %tb = stablehlo.broadcast_in_dim %tenth, dims = [] : (tensor<f32>) -> tensor<96x256xf32>
    %loop:3 = stablehlo.while(%i = %c, %y = %q, %st = %all) : tensor<i32>, tensor<96x256xf32>, tensor<512x256xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<96x256xf32>, tensor<256x192xf32>) -> tensor<96x192xf32>
      %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<96x192xf32>, tensor<192x256xf32>) -> tensor<96x256xf32>
      %3 = stablehlo.multiply %2, %tb : tensor<96x256xf32>
      %4 = stablehlo.add %y, %3 : tensor<96x256xf32>
      %5 = stablehlo.multiply %i, %n : tensor<i32>
      %6 = stablehlo.dynamic_update_slice %st, %4, %5, %c : (tensor<512x256xf32>, tensor<96x256xf32>, tensor<i32>, tensor<i32>) -> tensor<512x256xf32>
      %7 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %7, %4, %6 : tensor<i32>, tensor<96x256xf32>, tensor<512x256xf32>
    }
    %big = stablehlo.compare GT, %n, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %chosen = "stablehlo.if"(%big) ({
      %1 = stablehlo.cosine %soft : tensor<96x256xf32>
      stablehlo.return %1 : tensor<96x256xf32>
    }, {
      %1 = stablehlo.add %q, %soft : tensor<96x256xf32>
      stablehlo.return %1 : tensor<96x256xf32>
    }) : (tensor<i1>) -> tensor<96x256xf32>
    return %t, %soft, %s, %conv, %sorted, %loop#1, %loop#2, %chosen : tensor<96x192xf32>, tensor<96x256xf32>, tensor<96xf32>, tensor<2x32x48x32xf32>, tensor<96x256xf32>, tensor<96x256xf32>, tensor<512x256xf32>, tensor<96x256xf32>
  }
}
