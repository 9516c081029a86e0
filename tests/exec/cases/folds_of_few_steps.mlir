// Reductions of few elements, and of arrays that run along the results in part.
// tolerance: 1e-5
func.func @main(%p: tensor<700x3xf32>, %q: tensor<300x3xf32>, %c: tensor<40x4xf32>, %d: tensor<61x4xf32>, %m: tensor<50x37xf32>, %n: tensor<37x70xf32>, %b: tensor<90x2x3xbf16>, %i: tensor<90x5xi8>)
    -> (tensor<700x300xf32>, tensor<40x61xf32>, tensor<50x70xf32>, tensor<90xbf16>, tensor<90xi8>, tensor<700xf32>, tensor<50x70xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zb = stablehlo.constant dense<0.0> : tensor<bf16>
  %low = stablehlo.constant dense<-128> : tensor<i8>
  %p0 = stablehlo.broadcast_in_dim %p, dims = [0, 2] : (tensor<700x3xf32>) -> tensor<700x300x3xf32>
  %q0 = stablehlo.broadcast_in_dim %q, dims = [1, 2] : (tensor<300x3xf32>) -> tensor<700x300x3xf32>
  %e = stablehlo.subtract %p0, %q0 : tensor<700x300x3xf32>
  %f = stablehlo.multiply %e, %e : tensor<700x300x3xf32>
  %0 = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<700x300x3xf32>, tensor<f32>) -> tensor<700x300xf32>
  %c0 = stablehlo.broadcast_in_dim %c, dims = [0, 2] : (tensor<40x4xf32>) -> tensor<40x61x4xf32>
  %d0 = stablehlo.broadcast_in_dim %d, dims = [1, 2] : (tensor<61x4xf32>) -> tensor<40x61x4xf32>
  %g = stablehlo.maximum %c0, %d0 : tensor<40x61x4xf32>
  %1 = stablehlo.reduce(%g init: %one) applies stablehlo.multiply across dimensions = [2] : (tensor<40x61x4xf32>, tensor<f32>) -> tensor<40x61xf32>
  %m0 = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<50x37xf32>) -> tensor<50x37x70xf32>
  %n0 = stablehlo.broadcast_in_dim %n, dims = [1, 2] : (tensor<37x70xf32>) -> tensor<50x37x70xf32>
  %h = stablehlo.add %m0, %n0 : tensor<50x37x70xf32>
  %2 = stablehlo.reduce(%h init: %inf) applies stablehlo.minimum across dimensions = [1] : (tensor<50x37x70xf32>, tensor<f32>) -> tensor<50x70xf32>
  %k = stablehlo.exponential %h : tensor<50x37x70xf32>
  %6 = stablehlo.reduce(%k init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<50x37x70xf32>, tensor<f32>) -> tensor<50x70xf32>
  %3 = stablehlo.reduce(%b init: %zb) applies stablehlo.add across dimensions = [1, 2] : (tensor<90x2x3xbf16>, tensor<bf16>) -> tensor<90xbf16>
  %4 = stablehlo.reduce(%i init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<90x5xi8>, tensor<i8>) -> tensor<90xi8>
  %5 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<700x3xf32>, tensor<f32>) -> tensor<700xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<700x300xf32>, tensor<40x61xf32>, tensor<50x70xf32>, tensor<90xbf16>, tensor<90xi8>, tensor<700xf32>, tensor<50x70xf32>
}
