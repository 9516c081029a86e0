// A softmax between products and its gradient, in blocks of rows that do not fill the last tile; keys beyond the mask are skipped.
// tolerance: 1e-5
func.func @main(%q: tensor<2x4x250x20xf32>, %k: tensor<2x4x302x20xf32>, %v: tensor<2x4x302x36xf32>, %g: tensor<2x4x250x36xf32>) -> (tensor<2x4x250x36xf32>, tensor<2x4x250x20xf32>, tensor<2x4x302x20xf32>, tensor<2x4x302x36xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %raw = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x250x20xf32>, tensor<2x4x302x20xf32>) -> tensor<2x4x250x302xf32>
  %scale = stablehlo.constant dense<16.0> : tensor<2x4x250x302xf32>
  %scaled = stablehlo.multiply %raw, %scale : tensor<2x4x250x302xf32>
  %far = stablehlo.constant dense<-1.0e30> : tensor<2x4x250x302xf32>
  %i = stablehlo.iota dim = 2 : tensor<2x4x250x302xi32>
  %j = stablehlo.iota dim = 3 : tensor<2x4x250x302xi32>
  %mask = stablehlo.compare GE, %i, %j : (tensor<2x4x250x302xi32>, tensor<2x4x250x302xi32>) -> tensor<2x4x250x302xi1>
  %score = stablehlo.select %mask, %scaled, %far : tensor<2x4x250x302xi1>, tensor<2x4x250x302xf32>
  %max = stablehlo.reduce(%score init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x250x302xf32>, tensor<f32>) -> tensor<2x4x250xf32>
  %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<2x4x250xf32>) -> tensor<2x4x250x302xf32>
  %shifted = stablehlo.subtract %score, %maxb : tensor<2x4x250x302xf32>
  %exp = stablehlo.exponential %shifted : tensor<2x4x250x302xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x250x302xf32>, tensor<f32>) -> tensor<2x4x250xf32>
  %sumb = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<2x4x250xf32>) -> tensor<2x4x250x302xf32>
  %p = stablehlo.divide %exp, %sumb : tensor<2x4x250x302xf32>
  %y = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x250x302xf32>, tensor<2x4x302x36xf32>) -> tensor<2x4x250x36xf32>
  %many = stablehlo.constant dense<64.0> : tensor<2x4x250x36xf32>
  %large = stablehlo.multiply %g, %many : tensor<2x4x250x36xf32>
  %dp = stablehlo.dot_general %large, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x250x36xf32>, tensor<2x4x302x36xf32>) -> tensor<2x4x250x302xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<2x4x250x302xf32>
  %row = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x250x302xf32>, tensor<f32>) -> tensor<2x4x250xf32>
  %rowb = stablehlo.broadcast_in_dim %row, dims = [0, 1, 2] : (tensor<2x4x250xf32>) -> tensor<2x4x250x302xf32>
  %less = stablehlo.subtract %dp, %rowb : tensor<2x4x250x302xf32>
  %ds = stablehlo.multiply %p, %less : tensor<2x4x250x302xf32>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x250x302xf32>, tensor<2x4x302x20xf32>) -> tensor<2x4x250x20xf32>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x4x250x302xf32>, tensor<2x4x250x20xf32>) -> tensor<2x4x302x20xf32>
  %dv = stablehlo.dot_general %p, %large, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x4x250x302xf32>, tensor<2x4x250x36xf32>) -> tensor<2x4x302x36xf32>
  return %y, %dq, %dk, %dv : tensor<2x4x250x36xf32>, tensor<2x4x250x20xf32>, tensor<2x4x302x20xf32>, tensor<2x4x302x36xf32>
}
