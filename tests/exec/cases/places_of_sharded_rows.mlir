// The place of the largest element of a row that devices share, and the part of it that a window of places leaves: numbers of a row are a device's first one and those of its part.
// tolerance: 1e-6
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<9x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<9xi32>, tensor<9x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %i = stablehlo.iota dim = 1 : tensor<9x64xi32>
  %f = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %f), (%i init: %z) across dimensions = [1] : (tensor<9x64xf32>, tensor<9x64xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>)
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
    %1 = stablehlo.compare GT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %p, %q : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  %b = stablehlo.broadcast_in_dim %0#1, dims = [0] : (tensor<9xi32>) -> tensor<9x64xi32>
  %d = stablehlo.subtract %i, %b : tensor<9x64xi32>
  %c = stablehlo.constant dense<10> : tensor<9x64xi32>
  %m = stablehlo.compare LE, %d, %c, SIGNED : (tensor<9x64xi32>, tensor<9x64xi32>) -> tensor<9x64xi1>
  %e = stablehlo.constant dense<0.0> : tensor<9x64xf32>
  %s = stablehlo.select %m, %a, %e : tensor<9x64xi1>, tensor<9x64xf32>
  return %0#1, %s : tensor<9xi32>, tensor<9x64xf32>
}
