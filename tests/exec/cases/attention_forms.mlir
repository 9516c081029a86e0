// Attention in its forms: division before and after, without a maximum, with a one in the sum, a cap and a bias, heads inside, cross attention, sizes that fill no tile, one query.
// tolerance: 2e-5
func.func @main(%divided_after_q: tensor<1x2x100x8xf32>, %divided_after_k: tensor<1x2x100x8xf32>, %divided_after_v: tensor<1x2x100x8xf32>, %without_maximum_q: tensor<1x2x100x8xf32>, %without_maximum_k: tensor<1x2x100x8xf32>, %without_maximum_v: tensor<1x2x100x8xf32>, %with_one_q: tensor<1x2x100x8xf32>, %with_one_k: tensor<1x2x100x8xf32>, %with_one_v: tensor<1x2x100x8xf32>, %capped_q: tensor<1x2x50x8xf32>, %capped_k: tensor<1x2x50x8xf32>, %capped_v: tensor<1x2x50x8xf32>, %capped_bias: tensor<2x50x50xf32>, %heads_inside_q: tensor<2x60x3x8xf32>, %heads_inside_k: tensor<2x60x3x8xf32>, %heads_inside_v: tensor<2x60x3x16xf32>, %cross_q: tensor<1x2x37x8xf32>, %cross_k: tensor<1x2x211x8xf32>, %cross_v: tensor<1x2x211x8xf32>, %of_one_column_q: tensor<1x2x60x1xf32>, %of_one_column_k: tensor<1x2x60x1xf32>, %of_one_column_v: tensor<1x2x60x1xf32>, %odd_q: tensor<1x1x61x7xf32>, %odd_k: tensor<1x1x61x7xf32>, %odd_v: tensor<1x1x61x13xf32>, %tiny_q: tensor<1x1x8x4xf32>, %tiny_k: tensor<1x1x8x4xf32>, %tiny_v: tensor<1x1x8x4xf32>, %of_one_query_q: tensor<1x2x1x8xf32>, %of_one_query_k: tensor<1x2x100x8xf32>, %of_one_query_v: tensor<1x2x100x8xf32>, %of_one_query_len: tensor<i32>) -> (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x50x8xf32>, tensor<2x60x3x16xf32>, tensor<1x2x37x8xf32>, tensor<1x2x60x1xf32>, tensor<1x1x61x13xf32>, tensor<1x1x8x4xf32>, tensor<1x2x1x8xf32>) {
  %0 = call @divided_after(%divided_after_q, %divided_after_k, %divided_after_v) : (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32>
  %1 = call @without_maximum(%without_maximum_q, %without_maximum_k, %without_maximum_v) : (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32>
  %2 = call @with_one(%with_one_q, %with_one_k, %with_one_v) : (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32>
  %3 = call @capped(%capped_q, %capped_k, %capped_v, %capped_bias) : (tensor<1x2x50x8xf32>, tensor<1x2x50x8xf32>, tensor<1x2x50x8xf32>, tensor<2x50x50xf32>) -> tensor<1x2x50x8xf32>
  %4 = call @heads_inside(%heads_inside_q, %heads_inside_k, %heads_inside_v) : (tensor<2x60x3x8xf32>, tensor<2x60x3x8xf32>, tensor<2x60x3x16xf32>) -> tensor<2x60x3x16xf32>
  %5 = call @cross(%cross_q, %cross_k, %cross_v) : (tensor<1x2x37x8xf32>, tensor<1x2x211x8xf32>, tensor<1x2x211x8xf32>) -> tensor<1x2x37x8xf32>
  %6 = call @of_one_column(%of_one_column_q, %of_one_column_k, %of_one_column_v) : (tensor<1x2x60x1xf32>, tensor<1x2x60x1xf32>, tensor<1x2x60x1xf32>) -> tensor<1x2x60x1xf32>
  %7 = call @odd(%odd_q, %odd_k, %odd_v) : (tensor<1x1x61x7xf32>, tensor<1x1x61x7xf32>, tensor<1x1x61x13xf32>) -> tensor<1x1x61x13xf32>
  %8 = call @tiny(%tiny_q, %tiny_k, %tiny_v) : (tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>) -> tensor<1x1x8x4xf32>
  %9 = call @of_one_query(%of_one_query_q, %of_one_query_k, %of_one_query_v, %of_one_query_len) : (tensor<1x2x1x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<i32>) -> tensor<1x2x1x8xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x50x8xf32>, tensor<2x60x3x16xf32>, tensor<1x2x37x8xf32>, tensor<1x2x60x1xf32>, tensor<1x1x61x13xf32>, tensor<1x1x8x4xf32>, tensor<1x2x1x8xf32>
}
func.func private @divided_after(%q: tensor<1x2x100x8xf32>, %k: tensor<1x2x100x8xf32>, %v: tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x100xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x100x100xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x100x100xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<100x100xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<100x100xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<100x100xi32>, tensor<100x100xi32>) -> tensor<100x100xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<100x100xi1>) -> tensor<1x2x100x100xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x100x100xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x100x100xi1>, tensor<1x2x100x100xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x100x100xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x100xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x2x100x100xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x2x100x100xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x100x100xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x100xf32>
  %v18 = stablehlo.dot_general %v14, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x100x100xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32>
  %v19 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x8xf32>
  %v20 = stablehlo.divide %v18, %v19 : tensor<1x2x100x8xf32>
  return %v20 : tensor<1x2x100x8xf32>
}
func.func private @without_maximum(%q: tensor<1x2x100x8xf32>, %k: tensor<1x2x100x8xf32>, %v: tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x100xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x100x100xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x100x100xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<100x100xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<100x100xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<100x100xi32>, tensor<100x100xi32>) -> tensor<100x100xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<100x100xi1>) -> tensor<1x2x100x100xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x100x100xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x100x100xi1>, tensor<1x2x100x100xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x100x100xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x100xf32>
  %v13 = stablehlo.exponential %v9 : tensor<1x2x100x100xf32>
  %v14 = stablehlo.constant dense<0.0> : tensor<f32>
  %v15 = stablehlo.reduce(%v13 init: %v14) applies stablehlo.add across dimensions = [3] : (tensor<1x2x100x100xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v16 = stablehlo.broadcast_in_dim %v15, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x100xf32>
  %v17 = stablehlo.divide %v13, %v16 : tensor<1x2x100x100xf32>
  %v18 = stablehlo.dot_general %v17, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x100x100xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32>
  return %v18 : tensor<1x2x100x8xf32>
}
func.func private @with_one(%q: tensor<1x2x100x8xf32>, %k: tensor<1x2x100x8xf32>, %v: tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x100xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x100x100xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x100x100xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<100x100xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<100x100xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<100x100xi32>, tensor<100x100xi32>) -> tensor<100x100xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<100x100xi1>) -> tensor<1x2x100x100xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x100x100xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x100x100xi1>, tensor<1x2x100x100xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x100x100xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x100xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x2x100x100xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x2x100x100xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x100x100xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v17 = stablehlo.constant dense<1.0> : tensor<1x2x100xf32>
  %v18 = stablehlo.add %v16, %v17 : tensor<1x2x100xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x100xf32>
  %v20 = stablehlo.divide %v14, %v19 : tensor<1x2x100x100xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x100x100xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x100x8xf32>
  return %v21 : tensor<1x2x100x8xf32>
}
func.func private @capped(%q: tensor<1x2x50x8xf32>, %k: tensor<1x2x50x8xf32>, %v: tensor<1x2x50x8xf32>, %bias: tensor<2x50x50xf32>) -> tensor<1x2x50x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x50x8xf32>, tensor<1x2x50x8xf32>) -> tensor<1x2x50x50xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x50x50xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x50x50xf32>
  %v4 = stablehlo.constant dense<5.0> : tensor<1x2x50x50xf32>
  %v5 = stablehlo.divide %v3, %v4 : tensor<1x2x50x50xf32>
  %v6 = stablehlo.tanh %v5 : tensor<1x2x50x50xf32>
  %v7 = stablehlo.multiply %v6, %v4 : tensor<1x2x50x50xf32>
  %v8 = stablehlo.broadcast_in_dim %bias, dims = [1, 2, 3] : (tensor<2x50x50xf32>) -> tensor<1x2x50x50xf32>
  %v9 = stablehlo.add %v7, %v8 : tensor<1x2x50x50xf32>
  %v10 = stablehlo.iota dim = 0 : tensor<50x50xi32>
  %v11 = stablehlo.iota dim = 1 : tensor<50x50xi32>
  %v12 = stablehlo.compare GE, %v10, %v11, SIGNED : (tensor<50x50xi32>, tensor<50x50xi32>) -> tensor<50x50xi1>
  %v13 = stablehlo.broadcast_in_dim %v12, dims = [2, 3] : (tensor<50x50xi1>) -> tensor<1x2x50x50xi1>
  %v14 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x50x50xf32>
  %v15 = stablehlo.select %v13, %v9, %v14 : tensor<1x2x50x50xi1>, tensor<1x2x50x50xf32>
  %v16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v17 = stablehlo.reduce(%v15 init: %v16) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x50x50xf32>, tensor<f32>) -> tensor<1x2x50xf32>
  %v18 = stablehlo.broadcast_in_dim %v17, dims = [0, 1, 2] : (tensor<1x2x50xf32>) -> tensor<1x2x50x50xf32>
  %v19 = stablehlo.subtract %v15, %v18 : tensor<1x2x50x50xf32>
  %v20 = stablehlo.exponential %v19 : tensor<1x2x50x50xf32>
  %v21 = stablehlo.constant dense<0.0> : tensor<f32>
  %v22 = stablehlo.reduce(%v20 init: %v21) applies stablehlo.add across dimensions = [3] : (tensor<1x2x50x50xf32>, tensor<f32>) -> tensor<1x2x50xf32>
  %v23 = stablehlo.broadcast_in_dim %v22, dims = [0, 1, 2] : (tensor<1x2x50xf32>) -> tensor<1x2x50x50xf32>
  %v24 = stablehlo.divide %v20, %v23 : tensor<1x2x50x50xf32>
  %v25 = stablehlo.dot_general %v24, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x50x50xf32>, tensor<1x2x50x8xf32>) -> tensor<1x2x50x8xf32>
  return %v25 : tensor<1x2x50x8xf32>
}
func.func private @heads_inside(%q: tensor<2x60x3x8xf32>, %k: tensor<2x60x3x8xf32>, %v: tensor<2x60x3x16xf32>) -> tensor<2x60x3x16xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x60x3x8xf32>, tensor<2x60x3x8xf32>) -> tensor<2x3x60x60xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<2x3x60x60xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<2x3x60x60xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<60x60xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<60x60xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<60x60xi32>, tensor<60x60xi32>) -> tensor<60x60xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<60x60xi1>) -> tensor<2x3x60x60xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<2x3x60x60xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<2x3x60x60xi1>, tensor<2x3x60x60xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x60x60xf32>, tensor<f32>) -> tensor<2x3x60xf32>
  %v12 = stablehlo.constant dense<0xFF800000> : tensor<2x3x60xf32>
  %v13 = stablehlo.maximum %v12, %v11 : tensor<2x3x60xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<2x3x60xf32>) -> tensor<2x3x60x60xf32>
  %v15 = stablehlo.subtract %v9, %v14 : tensor<2x3x60x60xf32>
  %v16 = stablehlo.exponential %v15 : tensor<2x3x60x60xf32>
  %v17 = stablehlo.constant dense<0.0> : tensor<f32>
  %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [3] : (tensor<2x3x60x60xf32>, tensor<f32>) -> tensor<2x3x60xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<2x3x60xf32>) -> tensor<2x3x60x60xf32>
  %v20 = stablehlo.divide %v16, %v19 : tensor<2x3x60x60xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x60x60xf32>, tensor<2x60x3x16xf32>) -> tensor<2x3x60x16xf32>
  %v22 = stablehlo.transpose %v21, dims = [0, 2, 1, 3] : (tensor<2x3x60x16xf32>) -> tensor<2x60x3x16xf32>
  return %v22 : tensor<2x60x3x16xf32>
}
func.func private @cross(%q: tensor<1x2x37x8xf32>, %k: tensor<1x2x211x8xf32>, %v: tensor<1x2x211x8xf32>) -> tensor<1x2x37x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x37x8xf32>, tensor<1x2x211x8xf32>) -> tensor<1x2x37x211xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x37x211xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x37x211xf32>
  %v4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v5 = stablehlo.reduce(%v3 init: %v4) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x37x211xf32>, tensor<f32>) -> tensor<1x2x37xf32>
  %v6 = stablehlo.broadcast_in_dim %v5, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x211xf32>
  %v7 = stablehlo.subtract %v3, %v6 : tensor<1x2x37x211xf32>
  %v8 = stablehlo.exponential %v7 : tensor<1x2x37x211xf32>
  %v9 = stablehlo.constant dense<0.0> : tensor<f32>
  %v10 = stablehlo.reduce(%v8 init: %v9) applies stablehlo.add across dimensions = [3] : (tensor<1x2x37x211xf32>, tensor<f32>) -> tensor<1x2x37xf32>
  %v11 = stablehlo.broadcast_in_dim %v10, dims = [0, 1, 2] : (tensor<1x2x37xf32>) -> tensor<1x2x37x211xf32>
  %v12 = stablehlo.divide %v8, %v11 : tensor<1x2x37x211xf32>
  %v13 = stablehlo.dot_general %v12, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x37x211xf32>, tensor<1x2x211x8xf32>) -> tensor<1x2x37x8xf32>
  return %v13 : tensor<1x2x37x8xf32>
}
func.func private @of_one_column(%q: tensor<1x2x60x1xf32>, %k: tensor<1x2x60x1xf32>, %v: tensor<1x2x60x1xf32>) -> tensor<1x2x60x1xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x60x1xf32>, tensor<1x2x60x1xf32>) -> tensor<1x2x60x60xf32>
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
  %v19 = stablehlo.dot_general %v18, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x60x60xf32>, tensor<1x2x60x1xf32>) -> tensor<1x2x60x1xf32>
  return %v19 : tensor<1x2x60x1xf32>
}
func.func private @odd(%q: tensor<1x1x61x7xf32>, %k: tensor<1x1x61x7xf32>, %v: tensor<1x1x61x13xf32>) -> tensor<1x1x61x13xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x1x61x7xf32>, tensor<1x1x61x7xf32>) -> tensor<1x1x61x61xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x1x61x61xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x1x61x61xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<61x61xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<61x61xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<61x61xi32>, tensor<61x61xi32>) -> tensor<61x61xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<61x61xi1>) -> tensor<1x1x61x61xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x1x61x61xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x1x61x61xi1>, tensor<1x1x61x61xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x1x61x61xf32>, tensor<f32>) -> tensor<1x1x61xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x1x61xf32>) -> tensor<1x1x61x61xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x1x61x61xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x1x61x61xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x1x61x61xf32>, tensor<f32>) -> tensor<1x1x61xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x1x61xf32>) -> tensor<1x1x61x61xf32>
  %v18 = stablehlo.divide %v14, %v17 : tensor<1x1x61x61xf32>
  %v19 = stablehlo.dot_general %v18, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x1x61x61xf32>, tensor<1x1x61x13xf32>) -> tensor<1x1x61x13xf32>
  return %v19 : tensor<1x1x61x13xf32>
}
func.func private @tiny(%q: tensor<1x1x8x4xf32>, %k: tensor<1x1x8x4xf32>, %v: tensor<1x1x8x4xf32>) -> tensor<1x1x8x4xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>) -> tensor<1x1x8x8xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x1x8x8xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x1x8x8xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<8x8xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<8x8xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<8x8xi1>) -> tensor<1x1x8x8xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x1x8x8xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x1x8x8xi1>, tensor<1x1x8x8xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x1x8x8xf32>, tensor<f32>) -> tensor<1x1x8xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x1x8x8xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x1x8x8xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x1x8x8xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x1x8x8xf32>, tensor<f32>) -> tensor<1x1x8xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<1x1x8x8xf32>
  %v18 = stablehlo.divide %v14, %v17 : tensor<1x1x8x8xf32>
  %v19 = stablehlo.dot_general %v18, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x1x8x8xf32>, tensor<1x1x8x4xf32>) -> tensor<1x1x8x4xf32>
  return %v19 : tensor<1x1x8x4xf32>
}
func.func private @of_one_query(%q: tensor<1x2x1x8xf32>, %k: tensor<1x2x100x8xf32>, %v: tensor<1x2x100x8xf32>, %len: tensor<i32>) -> tensor<1x2x1x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x1x8xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x1x100xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x1x100xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x1x100xf32>
  %v4 = stablehlo.iota dim = 3 : tensor<1x2x1x100xi32>
  %v5 = stablehlo.broadcast_in_dim %len, dims = [] : (tensor<i32>) -> tensor<1x2x1x100xi32>
  %v6 = stablehlo.compare LT, %v4, %v5, SIGNED : (tensor<1x2x1x100xi32>, tensor<1x2x1x100xi32>) -> tensor<1x2x1x100xi1>
  %v7 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x1x100xf32>
  %v8 = stablehlo.select %v6, %v3, %v7 : tensor<1x2x1x100xi1>, tensor<1x2x1x100xf32>
  %v9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v10 = stablehlo.reduce(%v8 init: %v9) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x1x100xf32>, tensor<f32>) -> tensor<1x2x1xf32>
  %v11 = stablehlo.broadcast_in_dim %v10, dims = [0, 1, 2] : (tensor<1x2x1xf32>) -> tensor<1x2x1x100xf32>
  %v12 = stablehlo.subtract %v8, %v11 : tensor<1x2x1x100xf32>
  %v13 = stablehlo.exponential %v12 : tensor<1x2x1x100xf32>
  %v14 = stablehlo.constant dense<0.0> : tensor<f32>
  %v15 = stablehlo.reduce(%v13 init: %v14) applies stablehlo.add across dimensions = [3] : (tensor<1x2x1x100xf32>, tensor<f32>) -> tensor<1x2x1xf32>
  %v16 = stablehlo.broadcast_in_dim %v15, dims = [0, 1, 2] : (tensor<1x2x1xf32>) -> tensor<1x2x1x100xf32>
  %v17 = stablehlo.divide %v13, %v16 : tensor<1x2x1x100xf32>
  %v18 = stablehlo.dot_general %v17, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x1x100xf32>, tensor<1x2x100x8xf32>) -> tensor<1x2x1x8xf32>
  return %v18 : tensor<1x2x1x8xf32>
}
