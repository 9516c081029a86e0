// The parts of a sharded dimension lie on different devices, at places that each device knows of the others: pieces of gates, pieces that begin in the middle of a device's part, and a mask of rows that every device has or has not.
// tolerance: 1e-6
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<6x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<6x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
  %t = stablehlo.tanh %a : tensor<6x32xf32>
  %i = stablehlo.slice %t [0:6, 0:8] : (tensor<6x32xf32>) -> tensor<6x8xf32>
  %f = stablehlo.slice %t [0:6, 8:16] : (tensor<6x32xf32>) -> tensor<6x8xf32>
  %o = stablehlo.slice %t [0:6, 16:24] : (tensor<6x32xf32>) -> tensor<6x8xf32>
  %g = stablehlo.slice %t [0:6, 24:32] : (tensor<6x32xf32>) -> tensor<6x8xf32>
  %0 = stablehlo.multiply %i, %f : tensor<6x8xf32>
  %1 = stablehlo.multiply %o, %g : tensor<6x8xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<6x8xf32>
  %p = stablehlo.slice %t [0:6, 5:17] : (tensor<6x32xf32>) -> tensor<6x12xf32>
  %q = stablehlo.slice %t [0:6, 19:31] : (tensor<6x32xf32>) -> tensor<6x12xf32>
  %3 = stablehlo.add %p, %q : tensor<6x12xf32>
  %n = stablehlo.iota dim = 1 : tensor<6x32xi32>
  %c = stablehlo.constant dense<16> : tensor<6x32xi32>
  %m = stablehlo.compare LT, %n, %c, SIGNED : (tensor<6x32xi32>, tensor<6x32xi32>) -> tensor<6x32xi1>
  %z = stablehlo.constant dense<-1.0> : tensor<6x32xf32>
  %4 = stablehlo.select %m, %t, %z : tensor<6x32xi1>, tensor<6x32xf32>
  return %2, %3, %4 : tensor<6x8xf32>, tensor<6x12xf32>, tensor<6x32xf32>
}
