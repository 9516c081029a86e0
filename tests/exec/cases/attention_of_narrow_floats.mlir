// Attention of bf16 and f16, with scores in either type.
// tolerance: 2e-2
func.func @main(%bf16_q: tensor<1x2x130x8xbf16>, %bf16_k: tensor<1x2x130x8xbf16>, %bf16_v: tensor<1x2x130x8xbf16>, %bf16_scores_q: tensor<1x61x2x15xbf16>, %bf16_scores_k: tensor<1x61x2x15xbf16>, %bf16_scores_v: tensor<1x61x2x9xbf16>, %all_bf16_q: tensor<1x2x60x8xbf16>, %all_bf16_k: tensor<1x2x60x8xbf16>, %all_bf16_v: tensor<1x2x60x8xbf16>, %f16_q: tensor<1x2x60x8xf16>, %f16_k: tensor<1x2x60x8xf16>, %f16_v: tensor<1x2x60x8xf16>) -> (tensor<1x2x130x8xbf16>, tensor<1x61x2x9xbf16>, tensor<1x2x60x8xbf16>, tensor<1x2x60x8xf16>) {
  %0 = call @bf16(%bf16_q, %bf16_k, %bf16_v) : (tensor<1x2x130x8xbf16>, tensor<1x2x130x8xbf16>, tensor<1x2x130x8xbf16>) -> tensor<1x2x130x8xbf16>
  %1 = call @bf16_scores(%bf16_scores_q, %bf16_scores_k, %bf16_scores_v) : (tensor<1x61x2x15xbf16>, tensor<1x61x2x15xbf16>, tensor<1x61x2x9xbf16>) -> tensor<1x61x2x9xbf16>
  %2 = call @all_bf16(%all_bf16_q, %all_bf16_k, %all_bf16_v) : (tensor<1x2x60x8xbf16>, tensor<1x2x60x8xbf16>, tensor<1x2x60x8xbf16>) -> tensor<1x2x60x8xbf16>
  %3 = call @f16(%f16_q, %f16_k, %f16_v) : (tensor<1x2x60x8xf16>, tensor<1x2x60x8xf16>, tensor<1x2x60x8xf16>) -> tensor<1x2x60x8xf16>
  return %0, %1, %2, %3 : tensor<1x2x130x8xbf16>, tensor<1x61x2x9xbf16>, tensor<1x2x60x8xbf16>, tensor<1x2x60x8xf16>
}
func.func private @bf16(%q: tensor<1x2x130x8xbf16>, %k: tensor<1x2x130x8xbf16>, %v: tensor<1x2x130x8xbf16>) -> tensor<1x2x130x8xbf16> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x130x8xbf16>, tensor<1x2x130x8xbf16>) -> tensor<1x2x130x130xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x130x130xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x130x130xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<130x130xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<130x130xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<130x130xi32>, tensor<130x130xi32>) -> tensor<130x130xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<130x130xi1>) -> tensor<1x2x130x130xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x130x130xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x130x130xi1>, tensor<1x2x130x130xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x130x130xf32>, tensor<f32>) -> tensor<1x2x130xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x130xf32>) -> tensor<1x2x130x130xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x2x130x130xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x2x130x130xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x130x130xf32>, tensor<f32>) -> tensor<1x2x130xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x2x130xf32>) -> tensor<1x2x130x130xf32>
  %v18 = stablehlo.divide %v14, %v17 : tensor<1x2x130x130xf32>
  %v19 = stablehlo.convert %v18 : (tensor<1x2x130x130xf32>) -> tensor<1x2x130x130xbf16>
  %v20 = stablehlo.dot_general %v19, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x130x130xbf16>, tensor<1x2x130x8xbf16>) -> tensor<1x2x130x8xbf16>
  return %v20 : tensor<1x2x130x8xbf16>
}
func.func private @bf16_scores(%q: tensor<1x61x2x15xbf16>, %k: tensor<1x61x2x15xbf16>, %v: tensor<1x61x2x9xbf16>) -> tensor<1x61x2x9xbf16> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<1x61x2x15xbf16>, tensor<1x61x2x15xbf16>) -> tensor<1x2x61x61xbf16>
  %v2 = stablehlo.convert %v1 : (tensor<1x2x61x61xbf16>) -> tensor<1x2x61x61xf32>
  %v3 = stablehlo.constant dense<4.0> : tensor<1x2x61x61xf32>
  %v4 = stablehlo.divide %v2, %v3 : tensor<1x2x61x61xf32>
  %v5 = stablehlo.iota dim = 0 : tensor<61x61xi32>
  %v6 = stablehlo.iota dim = 1 : tensor<61x61xi32>
  %v7 = stablehlo.compare GE, %v5, %v6, SIGNED : (tensor<61x61xi32>, tensor<61x61xi32>) -> tensor<61x61xi1>
  %v8 = stablehlo.broadcast_in_dim %v7, dims = [2, 3] : (tensor<61x61xi1>) -> tensor<1x2x61x61xi1>
  %v9 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x61x61xf32>
  %v10 = stablehlo.select %v8, %v4, %v9 : tensor<1x2x61x61xi1>, tensor<1x2x61x61xf32>
  %v11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v12 = stablehlo.reduce(%v10 init: %v11) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x61x61xf32>, tensor<f32>) -> tensor<1x2x61xf32>
  %v13 = stablehlo.broadcast_in_dim %v12, dims = [0, 1, 2] : (tensor<1x2x61xf32>) -> tensor<1x2x61x61xf32>
  %v14 = stablehlo.subtract %v10, %v13 : tensor<1x2x61x61xf32>
  %v15 = stablehlo.exponential %v14 : tensor<1x2x61x61xf32>
  %v16 = stablehlo.constant dense<0.0> : tensor<f32>
  %v17 = stablehlo.reduce(%v15 init: %v16) applies stablehlo.add across dimensions = [3] : (tensor<1x2x61x61xf32>, tensor<f32>) -> tensor<1x2x61xf32>
  %v18 = stablehlo.broadcast_in_dim %v17, dims = [0, 1, 2] : (tensor<1x2x61xf32>) -> tensor<1x2x61x61xf32>
  %v19 = stablehlo.divide %v15, %v18 : tensor<1x2x61x61xf32>
  %v20 = stablehlo.convert %v19 : (tensor<1x2x61x61xf32>) -> tensor<1x2x61x61xbf16>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<1x2x61x61xbf16>, tensor<1x61x2x9xbf16>) -> tensor<1x2x61x9xbf16>
  %v22 = stablehlo.transpose %v21, dims = [0, 2, 1, 3] : (tensor<1x2x61x9xbf16>) -> tensor<1x61x2x9xbf16>
  return %v22 : tensor<1x61x2x9xbf16>
}
func.func private @all_bf16(%q: tensor<1x2x60x8xbf16>, %k: tensor<1x2x60x8xbf16>, %v: tensor<1x2x60x8xbf16>) -> tensor<1x2x60x8xbf16> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x60x8xbf16>, tensor<1x2x60x8xbf16>) -> tensor<1x2x60x60xbf16>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x60x60xbf16>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x60x60xbf16>
  %v4 = stablehlo.iota dim = 0 : tensor<60x60xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<60x60xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<60x60xi32>, tensor<60x60xi32>) -> tensor<60x60xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<60x60xi1>) -> tensor<1x2x60x60xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x60x60xbf16>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x60x60xi1>, tensor<1x2x60x60xbf16>
  %v10 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x60x60xbf16>, tensor<bf16>) -> tensor<1x2x60xbf16>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x60xbf16>) -> tensor<1x2x60x60xbf16>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x2x60x60xbf16>
  %v14 = stablehlo.exponential %v13 : tensor<1x2x60x60xbf16>
  %v15 = stablehlo.constant dense<0.0> : tensor<bf16>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x60x60xbf16>, tensor<bf16>) -> tensor<1x2x60xbf16>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x2x60xbf16>) -> tensor<1x2x60x60xbf16>
  %v18 = stablehlo.divide %v14, %v17 : tensor<1x2x60x60xbf16>
  %v19 = stablehlo.dot_general %v18, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x60x60xbf16>, tensor<1x2x60x8xbf16>) -> tensor<1x2x60x8xbf16>
  return %v19 : tensor<1x2x60x8xbf16>
}
func.func private @f16(%q: tensor<1x2x60x8xf16>, %k: tensor<1x2x60x8xf16>, %v: tensor<1x2x60x8xf16>) -> tensor<1x2x60x8xf16> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x60x8xf16>, tensor<1x2x60x8xf16>) -> tensor<1x2x60x60xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x60x60xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x60x60xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<60x60xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<60x60xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<60x60xi32>, tensor<60x60xi32>) -> tensor<60x60xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<60x60xi1>) -> tensor<1x2x60x60xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x60x60xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x60x60xi1>, tensor<1x2x60x60xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x60x60xf32>, tensor<f32>) -> tensor<1x2x60xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x60xf32>) -> tensor<1x2x60x60xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x2x60x60xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x2x60x60xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x60x60xf32>, tensor<f32>) -> tensor<1x2x60xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x2x60xf32>) -> tensor<1x2x60x60xf32>
  %v18 = stablehlo.divide %v14, %v17 : tensor<1x2x60x60xf32>
  %v19 = stablehlo.convert %v18 : (tensor<1x2x60x60xf32>) -> tensor<1x2x60x60xf16>
  %v20 = stablehlo.dot_general %v19, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x60x60xf16>, tensor<1x2x60x8xf16>) -> tensor<1x2x60x8xf16>
  return %v20 : tensor<1x2x60x8xf16>
}
