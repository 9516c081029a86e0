// Rows whose last elements fill a part of a vector: softmaxes and norms, of narrow floats too.
// tolerance: 1e-2
func.func @main(%x: tensor<300x77xf32>, %y: tensor<40x29xbf16>, %z: tensor<30x61xf64>) -> (tensor<300x77xf32>, tensor<300x77xf32>, tensor<40x29xbf16>, tensor<30x61xf64>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zb = stablehlo.constant dense<0.0> : tensor<bf16>
  %zd = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<300x77xf32>, tensor<f32>) -> tensor<300xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<300xf32>) -> tensor<300x77xf32>
  %d = stablehlo.subtract %x, %mb : tensor<300x77xf32>
  %e = stablehlo.exponential %d : tensor<300x77xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x77xf32>, tensor<f32>) -> tensor<300xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<300xf32>) -> tensor<300x77xf32>
  %0 = stablehlo.divide %e, %sb : tensor<300x77xf32>
  %sq = stablehlo.multiply %x, %x : tensor<300x77xf32>
  %ss = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x77xf32>, tensor<f32>) -> tensor<300xf32>
  %r = stablehlo.rsqrt %ss : tensor<300xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<300xf32>) -> tensor<300x77xf32>
  %1 = stablehlo.multiply %x, %rb : tensor<300x77xf32>
  %yq = stablehlo.multiply %y, %y : tensor<40x29xbf16>
  %ys = stablehlo.reduce(%yq init: %zb) applies stablehlo.add across dimensions = [1] : (tensor<40x29xbf16>, tensor<bf16>) -> tensor<40xbf16>
  %yb = stablehlo.broadcast_in_dim %ys, dims = [0] : (tensor<40xbf16>) -> tensor<40x29xbf16>
  %2 = stablehlo.add %y, %yb : tensor<40x29xbf16>
  %zs = stablehlo.reduce(%z init: %zd) applies stablehlo.add across dimensions = [1] : (tensor<30x61xf64>, tensor<f64>) -> tensor<30xf64>
  %zz = stablehlo.broadcast_in_dim %zs, dims = [0] : (tensor<30xf64>) -> tensor<30x61xf64>
  %3 = stablehlo.subtract %z, %zz : tensor<30x61xf64>
  return %0, %1, %2, %3 : tensor<300x77xf32>, tensor<300x77xf32>, tensor<40x29xbf16>, tensor<30x61xf64>
}
