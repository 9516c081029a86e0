// The same with bf16: some products by tile registers, some of an f32 with a bf16.
// tolerance: 2e-2
func.func @main(%q: tensor<1x8x384x40xbf16>, %k: tensor<1x8x320x40xbf16>, %v: tensor<1x8x320x48xbf16>, %g: tensor<1x8x384x48xbf16>) -> (tensor<1x8x384x48xbf16>, tensor<1x8x384x40xf32>, tensor<1x8x320x40xf32>, tensor<1x8x320x48xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %raw = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x8x384x40xbf16>, tensor<1x8x320x40xbf16>) -> tensor<1x8x384x320xf32>
  %scale = stablehlo.constant dense<16.0> : tensor<1x8x384x320xf32>
  %scaled = stablehlo.multiply %raw, %scale : tensor<1x8x384x320xf32>
  %far = stablehlo.constant dense<-1.0e30> : tensor<1x8x384x320xf32>
  %i = stablehlo.iota dim = 2 : tensor<1x8x384x320xi32>
  %j = stablehlo.iota dim = 3 : tensor<1x8x384x320xi32>
  %mask = stablehlo.compare GE, %i, %j : (tensor<1x8x384x320xi32>, tensor<1x8x384x320xi32>) -> tensor<1x8x384x320xi1>
  %score = stablehlo.select %mask, %scaled, %far : tensor<1x8x384x320xi1>, tensor<1x8x384x320xf32>
  %max = stablehlo.reduce(%score init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<1x8x384x320xf32>, tensor<f32>) -> tensor<1x8x384xf32>
  %maxb = stablehlo.broadcast_in_dim %max, dims = [0, 1, 2] : (tensor<1x8x384xf32>) -> tensor<1x8x384x320xf32>
  %shifted = stablehlo.subtract %score, %maxb : tensor<1x8x384x320xf32>
  %exp = stablehlo.exponential %shifted : tensor<1x8x384x320xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x8x384x320xf32>, tensor<f32>) -> tensor<1x8x384xf32>
  %sumb = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<1x8x384xf32>) -> tensor<1x8x384x320xf32>
  %p = stablehlo.divide %exp, %sumb : tensor<1x8x384x320xf32>
  %pn = stablehlo.convert %p : (tensor<1x8x384x320xf32>) -> tensor<1x8x384x320xbf16>
  %y = stablehlo.dot_general %pn, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x8x384x320xbf16>, tensor<1x8x320x48xbf16>) -> tensor<1x8x384x48xbf16>
  %many = stablehlo.constant dense<64.0> : tensor<1x8x384x48xbf16>
  %large = stablehlo.multiply %g, %many : tensor<1x8x384x48xbf16>
  %dp = stablehlo.dot_general %large, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x8x384x48xbf16>, tensor<1x8x320x48xbf16>) -> tensor<1x8x384x320xf32>
  %pdp = stablehlo.multiply %p, %dp : tensor<1x8x384x320xf32>
  %row = stablehlo.reduce(%pdp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x8x384x320xf32>, tensor<f32>) -> tensor<1x8x384xf32>
  %rowb = stablehlo.broadcast_in_dim %row, dims = [0, 1, 2] : (tensor<1x8x384xf32>) -> tensor<1x8x384x320xf32>
  %less = stablehlo.subtract %dp, %rowb : tensor<1x8x384x320xf32>
  %ds = stablehlo.multiply %p, %less : tensor<1x8x384x320xf32>
  %kf = stablehlo.convert %k : (tensor<1x8x320x40xbf16>) -> tensor<1x8x320x40xf32>
  %qf = stablehlo.convert %q : (tensor<1x8x384x40xbf16>) -> tensor<1x8x384x40xf32>
  %dq = stablehlo.dot_general %ds, %kf, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x8x384x320xf32>, tensor<1x8x320x40xf32>) -> tensor<1x8x384x40xf32>
  %dk = stablehlo.dot_general %ds, %qf, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x8x384x320xf32>, tensor<1x8x384x40xf32>) -> tensor<1x8x320x40xf32>
  %dv = stablehlo.dot_general %pn, %large, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<1x8x384x320xbf16>, tensor<1x8x384x48xbf16>) -> tensor<1x8x320x48xbf16>
  return %y, %dq, %dk, %dv : tensor<1x8x384x48xbf16>, tensor<1x8x384x40xf32>, tensor<1x8x320x40xf32>, tensor<1x8x320x48xbf16>
}
