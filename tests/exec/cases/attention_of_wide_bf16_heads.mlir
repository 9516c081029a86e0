// Attention of bf16 with heads that fill one or two tile registers, the last one or not.
// tolerance: 2e-2
func.func @main(%forty_q: tensor<1x2x70x40xbf16>, %forty_k: tensor<1x2x90x40xbf16>, %forty_v: tensor<1x2x90x40xbf16>, %sixty_four_q: tensor<1x2x40x64xbf16>, %sixty_four_k: tensor<1x2x130x64xbf16>, %sixty_four_v: tensor<1x2x130x64xbf16>, %eighty_q: tensor<1x2x33x80xbf16>, %eighty_k: tensor<1x2x65x80xbf16>, %eighty_v: tensor<1x2x65x80xbf16>, %wide_q: tensor<1x2x20x24xbf16>, %wide_k: tensor<1x2x50x24xbf16>, %wide_v: tensor<1x2x50x112xbf16>) -> (tensor<1x2x70x40xbf16>, tensor<1x2x40x64xbf16>, tensor<1x2x33x80xbf16>, tensor<1x2x20x112xbf16>) {
  %0 = call @forty(%forty_q, %forty_k, %forty_v) : (tensor<1x2x70x40xbf16>, tensor<1x2x90x40xbf16>, tensor<1x2x90x40xbf16>) -> tensor<1x2x70x40xbf16>
  %1 = call @sixty_four(%sixty_four_q, %sixty_four_k, %sixty_four_v) : (tensor<1x2x40x64xbf16>, tensor<1x2x130x64xbf16>, tensor<1x2x130x64xbf16>) -> tensor<1x2x40x64xbf16>
  %2 = call @eighty(%eighty_q, %eighty_k, %eighty_v) : (tensor<1x2x33x80xbf16>, tensor<1x2x65x80xbf16>, tensor<1x2x65x80xbf16>) -> tensor<1x2x33x80xbf16>
  %3 = call @wide(%wide_q, %wide_k, %wide_v) : (tensor<1x2x20x24xbf16>, tensor<1x2x50x24xbf16>, tensor<1x2x50x112xbf16>) -> tensor<1x2x20x112xbf16>
  return %0, %1, %2, %3 : tensor<1x2x70x40xbf16>, tensor<1x2x40x64xbf16>, tensor<1x2x33x80xbf16>, tensor<1x2x20x112xbf16>
}
func.func private @forty(%q: tensor<1x2x70x40xbf16>, %k: tensor<1x2x90x40xbf16>, %v: tensor<1x2x90x40xbf16>) -> tensor<1x2x70x40xbf16> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x70x40xbf16>, tensor<1x2x90x40xbf16>) -> tensor<1x2x70x90xf32>
  %c = stablehlo.constant dense<0.5> : tensor<1x2x70x90xf32>
  %x = stablehlo.multiply %s, %c : tensor<1x2x70x90xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x70x90xf32>, tensor<f32>) -> tensor<1x2x70xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<1x2x70xf32>) -> tensor<1x2x70x90xf32>
  %y = stablehlo.subtract %x, %mb : tensor<1x2x70x90xf32>
  %e = stablehlo.exponential %y : tensor<1x2x70x90xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x2x70x90xf32>, tensor<f32>) -> tensor<1x2x70xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1, 2] : (tensor<1x2x70xf32>) -> tensor<1x2x70x90xf32>
  %p = stablehlo.divide %e, %lb : tensor<1x2x70x90xf32>
  %w = stablehlo.convert %p : (tensor<1x2x70x90xf32>) -> tensor<1x2x70x90xbf16>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x70x90xbf16>, tensor<1x2x90x40xbf16>) -> tensor<1x2x70x40xbf16>
  return %o : tensor<1x2x70x40xbf16>
}
func.func private @sixty_four(%q: tensor<1x2x40x64xbf16>, %k: tensor<1x2x130x64xbf16>, %v: tensor<1x2x130x64xbf16>) -> tensor<1x2x40x64xbf16> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x40x64xbf16>, tensor<1x2x130x64xbf16>) -> tensor<1x2x40x130xf32>
  %c = stablehlo.constant dense<0.5> : tensor<1x2x40x130xf32>
  %x = stablehlo.multiply %s, %c : tensor<1x2x40x130xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x40x130xf32>, tensor<f32>) -> tensor<1x2x40xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<1x2x40xf32>) -> tensor<1x2x40x130xf32>
  %y = stablehlo.subtract %x, %mb : tensor<1x2x40x130xf32>
  %e = stablehlo.exponential %y : tensor<1x2x40x130xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x2x40x130xf32>, tensor<f32>) -> tensor<1x2x40xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1, 2] : (tensor<1x2x40xf32>) -> tensor<1x2x40x130xf32>
  %p = stablehlo.divide %e, %lb : tensor<1x2x40x130xf32>
  %w = stablehlo.convert %p : (tensor<1x2x40x130xf32>) -> tensor<1x2x40x130xbf16>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x40x130xbf16>, tensor<1x2x130x64xbf16>) -> tensor<1x2x40x64xbf16>
  return %o : tensor<1x2x40x64xbf16>
}
func.func private @eighty(%q: tensor<1x2x33x80xbf16>, %k: tensor<1x2x65x80xbf16>, %v: tensor<1x2x65x80xbf16>) -> tensor<1x2x33x80xbf16> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x33x80xbf16>, tensor<1x2x65x80xbf16>) -> tensor<1x2x33x65xf32>
  %c = stablehlo.constant dense<0.5> : tensor<1x2x33x65xf32>
  %x = stablehlo.multiply %s, %c : tensor<1x2x33x65xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x33x65xf32>, tensor<f32>) -> tensor<1x2x33xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<1x2x33xf32>) -> tensor<1x2x33x65xf32>
  %y = stablehlo.subtract %x, %mb : tensor<1x2x33x65xf32>
  %e = stablehlo.exponential %y : tensor<1x2x33x65xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x2x33x65xf32>, tensor<f32>) -> tensor<1x2x33xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1, 2] : (tensor<1x2x33xf32>) -> tensor<1x2x33x65xf32>
  %p = stablehlo.divide %e, %lb : tensor<1x2x33x65xf32>
  %w = stablehlo.convert %p : (tensor<1x2x33x65xf32>) -> tensor<1x2x33x65xbf16>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x33x65xbf16>, tensor<1x2x65x80xbf16>) -> tensor<1x2x33x80xbf16>
  return %o : tensor<1x2x33x80xbf16>
}
func.func private @wide(%q: tensor<1x2x20x24xbf16>, %k: tensor<1x2x50x24xbf16>, %v: tensor<1x2x50x112xbf16>) -> tensor<1x2x20x112xbf16> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x20x24xbf16>, tensor<1x2x50x24xbf16>) -> tensor<1x2x20x50xf32>
  %c = stablehlo.constant dense<0.5> : tensor<1x2x20x50xf32>
  %x = stablehlo.multiply %s, %c : tensor<1x2x20x50xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x20x50xf32>, tensor<f32>) -> tensor<1x2x20xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x50xf32>
  %y = stablehlo.subtract %x, %mb : tensor<1x2x20x50xf32>
  %e = stablehlo.exponential %y : tensor<1x2x20x50xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<1x2x20x50xf32>, tensor<f32>) -> tensor<1x2x20xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1, 2] : (tensor<1x2x20xf32>) -> tensor<1x2x20x50xf32>
  %p = stablehlo.divide %e, %lb : tensor<1x2x20x50xf32>
  %w = stablehlo.convert %p : (tensor<1x2x20x50xf32>) -> tensor<1x2x20x50xbf16>
  %o = stablehlo.dot_general %w, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x20x50xbf16>, tensor<1x2x50x112xbf16>) -> tensor<1x2x20x112xbf16>
  return %o : tensor<1x2x20x112xbf16>
}
