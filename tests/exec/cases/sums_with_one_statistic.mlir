// Sums over rows that are made with the same statistic of the row become one kernel: of what an update changes between them, with other readers, of sharded rows.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x512xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %x = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %m = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x512xf32>
  %e = stablehlo.exponential %d : tensor<64x512xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %at = stablehlo.constant dense<3> : tensor<i32>
  %x2 = stablehlo.dynamic_update_slice %x, %u, %at, %at : (tensor<64x512xf32>, tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x512xf32>
  %d2 = stablehlo.subtract %y, %mb : tensor<64x512xf32>
  %t = stablehlo.reduce(%d2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %i = stablehlo.iota dim = 1 : tensor<64x512xi32>
  %nb = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<64xi32>) -> tensor<64x512xi32>
  %is = stablehlo.compare EQ, %i, %nb : (tensor<64x512xi32>, tensor<64x512xi32>) -> tensor<64x512xi1>
  %zb = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
  %k = stablehlo.select %is, %d2, %zb : tensor<64x512xi1>, tensor<64x512xf32>
  %label = stablehlo.reduce(%k init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %g = stablehlo.log %s : tensor<64xf32>
  %o = stablehlo.subtract %g, %label : tensor<64xf32>
  %loss = stablehlo.reduce(%o init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %s, %t, %x2, %loss : tensor<64xf32>, tensor<64xf32>, tensor<64x512xf32>, tensor<f32>
}
