// Attention under masks: causal, windows, of an array, of a length that is read, added; rows without any key, where the program gives NaN, a mean or zero.
// tolerance: 2e-5
func.func @main(%causal_q: tensor<1x2x200x8xf32>, %causal_k: tensor<1x2x200x8xf32>, %causal_v: tensor<1x2x200x8xf32>, %causal_of_infinity_q: tensor<1x2x150x8xf32>, %causal_of_infinity_k: tensor<1x2x150x8xf32>, %causal_of_infinity_v: tensor<1x2x150x8xf32>, %window_q: tensor<1x2x300x8xf32>, %window_k: tensor<1x2x300x8xf32>, %window_v: tensor<1x2x300x8xf32>, %rows_without_keys_q: tensor<1x2x100x8xf32>, %rows_without_keys_k: tensor<1x2x300x8xf32>, %rows_without_keys_v: tensor<1x2x300x8xf32>, %rows_of_nan_q: tensor<1x2x100x8xf32>, %rows_of_nan_k: tensor<1x2x300x8xf32>, %rows_of_nan_v: tensor<1x2x300x8xf32>, %rows_of_zeros_q: tensor<1x2x60x8xf32>, %rows_of_zeros_k: tensor<1x2x60x8xf32>, %rows_of_zeros_v: tensor<1x2x60x8xf32>, %rows_guarded_q: tensor<1x2x60x8xf32>, %rows_guarded_k: tensor<1x2x60x8xf32>, %rows_guarded_v: tensor<1x2x60x8xf32>, %of_an_array_q: tensor<1x2x70x8xf32>, %of_an_array_k: tensor<1x2x90x8xf32>, %of_an_array_v: tensor<1x2x90x8xf32>, %of_an_array_mask: tensor<1x1x70x90xi1>, %up_to_a_length_q: tensor<1x2x9x8xf32>, %up_to_a_length_k: tensor<1x2x600x8xf32>, %up_to_a_length_v: tensor<1x2x600x8xf32>, %up_to_a_length_len: tensor<i32>, %added_q: tensor<1x2x150x8xf32>, %added_k: tensor<1x2x150x8xf32>, %added_v: tensor<1x2x150x8xf32>, %added_infinity_q: tensor<1x2x150x8xf32>, %added_infinity_k: tensor<1x2x150x8xf32>, %added_infinity_v: tensor<1x2x150x8xf32>, %turned_q: tensor<1x2x150x8xf32>, %turned_k: tensor<1x2x150x8xf32>, %turned_v: tensor<1x2x150x8xf32>) -> (tensor<1x2x200x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x300x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>, tensor<1x2x70x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) {
  %0 = call @causal(%causal_q, %causal_k, %causal_v) : (tensor<1x2x200x8xf32>, tensor<1x2x200x8xf32>, tensor<1x2x200x8xf32>) -> tensor<1x2x200x8xf32>
  %1 = call @causal_of_infinity(%causal_of_infinity_q, %causal_of_infinity_k, %causal_of_infinity_v) : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  %2 = call @window(%window_q, %window_k, %window_v) : (tensor<1x2x300x8xf32>, tensor<1x2x300x8xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x300x8xf32>
  %3 = call @rows_without_keys(%rows_without_keys_q, %rows_without_keys_k, %rows_without_keys_v) : (tensor<1x2x100x8xf32>, tensor<1x2x300x8xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x100x8xf32>
  %4 = call @rows_of_nan(%rows_of_nan_q, %rows_of_nan_k, %rows_of_nan_v) : (tensor<1x2x100x8xf32>, tensor<1x2x300x8xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x100x8xf32>
  %5 = call @rows_of_zeros(%rows_of_zeros_q, %rows_of_zeros_k, %rows_of_zeros_v) : (tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>) -> tensor<1x2x60x8xf32>
  %6 = call @rows_guarded(%rows_guarded_q, %rows_guarded_k, %rows_guarded_v) : (tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>) -> tensor<1x2x60x8xf32>
  %7 = call @of_an_array(%of_an_array_q, %of_an_array_k, %of_an_array_v, %of_an_array_mask) : (tensor<1x2x70x8xf32>, tensor<1x2x90x8xf32>, tensor<1x2x90x8xf32>, tensor<1x1x70x90xi1>) -> tensor<1x2x70x8xf32>
  %8 = call @up_to_a_length(%up_to_a_length_q, %up_to_a_length_k, %up_to_a_length_v, %up_to_a_length_len) : (tensor<1x2x9x8xf32>, tensor<1x2x600x8xf32>, tensor<1x2x600x8xf32>, tensor<i32>) -> tensor<1x2x9x8xf32>
  %9 = call @added(%added_q, %added_k, %added_v) : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  %10 = call @added_infinity(%added_infinity_q, %added_infinity_k, %added_infinity_v) : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  %11 = call @turned(%turned_q, %turned_k, %turned_v) : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<1x2x200x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x300x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x100x8xf32>, tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>, tensor<1x2x70x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>
}
func.func private @causal(%q: tensor<1x2x200x8xf32>, %k: tensor<1x2x200x8xf32>, %v: tensor<1x2x200x8xf32>) -> tensor<1x2x200x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x200x8xf32>, tensor<1x2x200x8xf32>) -> tensor<1x2x200x200xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x200x200xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x200x200xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<200x200xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<200x200xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<200x200xi32>, tensor<200x200xi32>) -> tensor<200x200xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<200x200xi1>) -> tensor<1x2x200x200xi1>
  %v8 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x200x200xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x200x200xi1>, tensor<1x2x200x200xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x200x200xf32>, tensor<f32>) -> tensor<1x2x200xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<1x2x200xf32>) -> tensor<1x2x200x200xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<1x2x200x200xf32>
  %v14 = stablehlo.exponential %v13 : tensor<1x2x200x200xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<1x2x200x200xf32>, tensor<f32>) -> tensor<1x2x200xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<1x2x200xf32>) -> tensor<1x2x200x200xf32>
  %v18 = stablehlo.divide %v14, %v17 : tensor<1x2x200x200xf32>
  %v19 = stablehlo.dot_general %v18, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x200x200xf32>, tensor<1x2x200x8xf32>) -> tensor<1x2x200x8xf32>
  return %v19 : tensor<1x2x200x8xf32>
}
func.func private @causal_of_infinity(%q: tensor<1x2x150x8xf32>, %k: tensor<1x2x150x8xf32>, %v: tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x150xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x150x150xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x150x150xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<150x150xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<150x150xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<150x150xi32>, tensor<150x150xi32>) -> tensor<150x150xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<150x150xi1>) -> tensor<1x2x150x150xi1>
  %v8 = stablehlo.constant dense<0xFF800000> : tensor<1x2x150x150xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<1x2x150x150xi1>, tensor<1x2x150x150xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v12 = stablehlo.constant dense<0xFF800000> : tensor<1x2x150xf32>
  %v13 = stablehlo.maximum %v12, %v11 : tensor<1x2x150xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v15 = stablehlo.subtract %v9, %v14 : tensor<1x2x150x150xf32>
  %v16 = stablehlo.exponential %v15 : tensor<1x2x150x150xf32>
  %v17 = stablehlo.constant dense<0.0> : tensor<f32>
  %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v20 = stablehlo.divide %v16, %v19 : tensor<1x2x150x150xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x150x150xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  return %v21 : tensor<1x2x150x8xf32>
}
func.func private @window(%q: tensor<1x2x300x8xf32>, %k: tensor<1x2x300x8xf32>, %v: tensor<1x2x300x8xf32>) -> tensor<1x2x300x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x300x8xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x300x300xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x300x300xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x300x300xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<300x300xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<300x300xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<300x300xi32>, tensor<300x300xi32>) -> tensor<300x300xi1>
  %v7 = stablehlo.constant dense<20> : tensor<300x300xi32>
  %v8 = stablehlo.subtract %v4, %v7 : tensor<300x300xi32>
  %v9 = stablehlo.compare LT, %v8, %v5, SIGNED : (tensor<300x300xi32>, tensor<300x300xi32>) -> tensor<300x300xi1>
  %v10 = stablehlo.and %v6, %v9 : tensor<300x300xi1>
  %v11 = stablehlo.broadcast_in_dim %v10, dims = [2, 3] : (tensor<300x300xi1>) -> tensor<1x2x300x300xi1>
  %v12 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x300x300xf32>
  %v13 = stablehlo.select %v11, %v3, %v12 : tensor<1x2x300x300xi1>, tensor<1x2x300x300xf32>
  %v14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v15 = stablehlo.reduce(%v13 init: %v14) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x300x300xf32>, tensor<f32>) -> tensor<1x2x300xf32>
  %v16 = stablehlo.broadcast_in_dim %v15, dims = [0, 1, 2] : (tensor<1x2x300xf32>) -> tensor<1x2x300x300xf32>
  %v17 = stablehlo.subtract %v13, %v16 : tensor<1x2x300x300xf32>
  %v18 = stablehlo.exponential %v17 : tensor<1x2x300x300xf32>
  %v19 = stablehlo.constant dense<0.0> : tensor<f32>
  %v20 = stablehlo.reduce(%v18 init: %v19) applies stablehlo.add across dimensions = [3] : (tensor<1x2x300x300xf32>, tensor<f32>) -> tensor<1x2x300xf32>
  %v21 = stablehlo.broadcast_in_dim %v20, dims = [0, 1, 2] : (tensor<1x2x300xf32>) -> tensor<1x2x300x300xf32>
  %v22 = stablehlo.divide %v18, %v21 : tensor<1x2x300x300xf32>
  %v23 = stablehlo.dot_general %v22, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x300x300xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x300x8xf32>
  return %v23 : tensor<1x2x300x8xf32>
}
func.func private @rows_without_keys(%q: tensor<1x2x100x8xf32>, %k: tensor<1x2x300x8xf32>, %v: tensor<1x2x300x8xf32>) -> tensor<1x2x100x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x100x8xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x100x300xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x100x300xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x100x300xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<100x300xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<100x300xi32>
  %v6 = stablehlo.constant dense<-50> : tensor<100x300xi32>
  %v7 = stablehlo.add %v4, %v6 : tensor<100x300xi32>
  %v8 = stablehlo.compare GE, %v7, %v5, SIGNED : (tensor<100x300xi32>, tensor<100x300xi32>) -> tensor<100x300xi1>
  %v9 = stablehlo.broadcast_in_dim %v8, dims = [2, 3] : (tensor<100x300xi1>) -> tensor<1x2x100x300xi1>
  %v10 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x100x300xf32>
  %v11 = stablehlo.select %v9, %v3, %v10 : tensor<1x2x100x300xi1>, tensor<1x2x100x300xf32>
  %v12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v13 = stablehlo.reduce(%v11 init: %v12) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x100x300xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x300xf32>
  %v15 = stablehlo.subtract %v11, %v14 : tensor<1x2x100x300xf32>
  %v16 = stablehlo.exponential %v15 : tensor<1x2x100x300xf32>
  %v17 = stablehlo.constant dense<0.0> : tensor<f32>
  %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [3] : (tensor<1x2x100x300xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x300xf32>
  %v20 = stablehlo.divide %v16, %v19 : tensor<1x2x100x300xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x100x300xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x100x8xf32>
  return %v21 : tensor<1x2x100x8xf32>
}
func.func private @rows_of_nan(%q: tensor<1x2x100x8xf32>, %k: tensor<1x2x300x8xf32>, %v: tensor<1x2x300x8xf32>) -> tensor<1x2x100x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x100x8xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x100x300xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x100x300xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x100x300xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<100x300xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<100x300xi32>
  %v6 = stablehlo.constant dense<-50> : tensor<100x300xi32>
  %v7 = stablehlo.add %v4, %v6 : tensor<100x300xi32>
  %v8 = stablehlo.compare GE, %v7, %v5, SIGNED : (tensor<100x300xi32>, tensor<100x300xi32>) -> tensor<100x300xi1>
  %v9 = stablehlo.broadcast_in_dim %v8, dims = [2, 3] : (tensor<100x300xi1>) -> tensor<1x2x100x300xi1>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<1x2x100x300xf32>
  %v11 = stablehlo.select %v9, %v3, %v10 : tensor<1x2x100x300xi1>, tensor<1x2x100x300xf32>
  %v12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v13 = stablehlo.reduce(%v11 init: %v12) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x100x300xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x300xf32>
  %v15 = stablehlo.subtract %v11, %v14 : tensor<1x2x100x300xf32>
  %v16 = stablehlo.exponential %v15 : tensor<1x2x100x300xf32>
  %v17 = stablehlo.constant dense<0.0> : tensor<f32>
  %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [3] : (tensor<1x2x100x300xf32>, tensor<f32>) -> tensor<1x2x100xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<1x2x100xf32>) -> tensor<1x2x100x300xf32>
  %v20 = stablehlo.divide %v16, %v19 : tensor<1x2x100x300xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x100x300xf32>, tensor<1x2x300x8xf32>) -> tensor<1x2x100x8xf32>
  return %v21 : tensor<1x2x100x8xf32>
}
func.func private @rows_of_zeros(%q: tensor<1x2x60x8xf32>, %k: tensor<1x2x60x8xf32>, %v: tensor<1x2x60x8xf32>) -> tensor<1x2x60x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>) -> tensor<1x2x60x60xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x60x60xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x60x60xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<60x60xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<60x60xi32>
  %v6 = stablehlo.compare LT, %v4, %v5, SIGNED : (tensor<60x60xi32>, tensor<60x60xi32>) -> tensor<60x60xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<60x60xi1>) -> tensor<1x2x60x60xi1>
  %v8 = stablehlo.constant dense<0xFF800000> : tensor<1x2x60x60xf32>
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
  %v19 = stablehlo.constant dense<0xFF800000> : tensor<1x2x60x60xf32>
  %v20 = stablehlo.compare EQ, %v9, %v19, FLOAT : (tensor<1x2x60x60xf32>, tensor<1x2x60x60xf32>) -> tensor<1x2x60x60xi1>
  %v21 = stablehlo.not %v20 : tensor<1x2x60x60xi1>
  %v22 = stablehlo.constant dense<false> : tensor<i1>
  %v23 = stablehlo.reduce(%v21 init: %v22) applies stablehlo.or across dimensions = [3] : (tensor<1x2x60x60xi1>, tensor<i1>) -> tensor<1x2x60xi1>
  %v24 = stablehlo.not %v23 : tensor<1x2x60xi1>
  %v25 = stablehlo.broadcast_in_dim %v24, dims = [0, 1, 2] : (tensor<1x2x60xi1>) -> tensor<1x2x60x60xi1>
  %v26 = stablehlo.constant dense<0.0> : tensor<1x2x60x60xf32>
  %v27 = stablehlo.select %v25, %v26, %v18 : tensor<1x2x60x60xi1>, tensor<1x2x60x60xf32>
  %v28 = stablehlo.dot_general %v27, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x60x60xf32>, tensor<1x2x60x8xf32>) -> tensor<1x2x60x8xf32>
  return %v28 : tensor<1x2x60x8xf32>
}
func.func private @rows_guarded(%q: tensor<1x2x60x8xf32>, %k: tensor<1x2x60x8xf32>, %v: tensor<1x2x60x8xf32>) -> tensor<1x2x60x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x60x8xf32>, tensor<1x2x60x8xf32>) -> tensor<1x2x60x60xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x60x60xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x60x60xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<60x60xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<60x60xi32>
  %v6 = stablehlo.constant dense<200> : tensor<60x60xi32>
  %v7 = stablehlo.add %v4, %v6 : tensor<60x60xi32>
  %v8 = stablehlo.compare GE, %v7, %v5, SIGNED : (tensor<60x60xi32>, tensor<60x60xi32>) -> tensor<60x60xi1>
  %v9 = stablehlo.constant dense<20> : tensor<60x60xi32>
  %v10 = stablehlo.subtract %v7, %v9 : tensor<60x60xi32>
  %v11 = stablehlo.compare LT, %v10, %v5, SIGNED : (tensor<60x60xi32>, tensor<60x60xi32>) -> tensor<60x60xi1>
  %v12 = stablehlo.and %v8, %v11 : tensor<60x60xi1>
  %v13 = stablehlo.broadcast_in_dim %v12, dims = [2, 3] : (tensor<60x60xi1>) -> tensor<1x2x60x60xi1>
  %v14 = stablehlo.constant dense<0xFF800000> : tensor<1x2x60x60xf32>
  %v15 = stablehlo.select %v13, %v3, %v14 : tensor<1x2x60x60xi1>, tensor<1x2x60x60xf32>
  %v16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v17 = stablehlo.reduce(%v15 init: %v16) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x60x60xf32>, tensor<f32>) -> tensor<1x2x60xf32>
  %v18 = stablehlo.is_finite %v17 : (tensor<1x2x60xf32>) -> tensor<1x2x60xi1>
  %v19 = stablehlo.constant dense<0.0> : tensor<1x2x60xf32>
  %v20 = stablehlo.select %v18, %v17, %v19 : tensor<1x2x60xi1>, tensor<1x2x60xf32>
  %v21 = stablehlo.broadcast_in_dim %v20, dims = [0, 1, 2] : (tensor<1x2x60xf32>) -> tensor<1x2x60x60xf32>
  %v22 = stablehlo.subtract %v15, %v21 : tensor<1x2x60x60xf32>
  %v23 = stablehlo.exponential %v22 : tensor<1x2x60x60xf32>
  %v24 = stablehlo.constant dense<0.0> : tensor<f32>
  %v25 = stablehlo.reduce(%v23 init: %v24) applies stablehlo.add across dimensions = [3] : (tensor<1x2x60x60xf32>, tensor<f32>) -> tensor<1x2x60xf32>
  %v26 = stablehlo.broadcast_in_dim %v25, dims = [0, 1, 2] : (tensor<1x2x60xf32>) -> tensor<1x2x60x60xf32>
  %v27 = stablehlo.divide %v23, %v26 : tensor<1x2x60x60xf32>
  %v28 = stablehlo.dot_general %v27, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x60x60xf32>, tensor<1x2x60x8xf32>) -> tensor<1x2x60x8xf32>
  return %v28 : tensor<1x2x60x8xf32>
}
func.func private @of_an_array(%q: tensor<1x2x70x8xf32>, %k: tensor<1x2x90x8xf32>, %v: tensor<1x2x90x8xf32>, %mask: tensor<1x1x70x90xi1>) -> tensor<1x2x70x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x70x8xf32>, tensor<1x2x90x8xf32>) -> tensor<1x2x70x90xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x70x90xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x70x90xf32>
  %v4 = stablehlo.broadcast_in_dim %mask, dims = [0, 1, 2, 3] : (tensor<1x1x70x90xi1>) -> tensor<1x2x70x90xi1>
  %v5 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x70x90xf32>
  %v6 = stablehlo.select %v4, %v3, %v5 : tensor<1x2x70x90xi1>, tensor<1x2x70x90xf32>
  %v7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v8 = stablehlo.reduce(%v6 init: %v7) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x70x90xf32>, tensor<f32>) -> tensor<1x2x70xf32>
  %v9 = stablehlo.broadcast_in_dim %v8, dims = [0, 1, 2] : (tensor<1x2x70xf32>) -> tensor<1x2x70x90xf32>
  %v10 = stablehlo.subtract %v6, %v9 : tensor<1x2x70x90xf32>
  %v11 = stablehlo.exponential %v10 : tensor<1x2x70x90xf32>
  %v12 = stablehlo.constant dense<0.0> : tensor<f32>
  %v13 = stablehlo.reduce(%v11 init: %v12) applies stablehlo.add across dimensions = [3] : (tensor<1x2x70x90xf32>, tensor<f32>) -> tensor<1x2x70xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x2x70xf32>) -> tensor<1x2x70x90xf32>
  %v15 = stablehlo.divide %v11, %v14 : tensor<1x2x70x90xf32>
  %v16 = stablehlo.dot_general %v15, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x70x90xf32>, tensor<1x2x90x8xf32>) -> tensor<1x2x70x8xf32>
  return %v16 : tensor<1x2x70x8xf32>
}
func.func private @up_to_a_length(%q: tensor<1x2x9x8xf32>, %k: tensor<1x2x600x8xf32>, %v: tensor<1x2x600x8xf32>, %len: tensor<i32>) -> tensor<1x2x9x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x9x8xf32>, tensor<1x2x600x8xf32>) -> tensor<1x2x9x600xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x9x600xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x9x600xf32>
  %v4 = stablehlo.iota dim = 3 : tensor<1x2x9x600xi32>
  %v5 = stablehlo.broadcast_in_dim %len, dims = [] : (tensor<i32>) -> tensor<1x2x9x600xi32>
  %v6 = stablehlo.compare LT, %v4, %v5, SIGNED : (tensor<1x2x9x600xi32>, tensor<1x2x9x600xi32>) -> tensor<1x2x9x600xi1>
  %v7 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x9x600xf32>
  %v8 = stablehlo.select %v6, %v3, %v7 : tensor<1x2x9x600xi1>, tensor<1x2x9x600xf32>
  %v9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v10 = stablehlo.reduce(%v8 init: %v9) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x9x600xf32>, tensor<f32>) -> tensor<1x2x9xf32>
  %v11 = stablehlo.broadcast_in_dim %v10, dims = [0, 1, 2] : (tensor<1x2x9xf32>) -> tensor<1x2x9x600xf32>
  %v12 = stablehlo.subtract %v8, %v11 : tensor<1x2x9x600xf32>
  %v13 = stablehlo.exponential %v12 : tensor<1x2x9x600xf32>
  %v14 = stablehlo.constant dense<0.0> : tensor<f32>
  %v15 = stablehlo.reduce(%v13 init: %v14) applies stablehlo.add across dimensions = [3] : (tensor<1x2x9x600xf32>, tensor<f32>) -> tensor<1x2x9xf32>
  %v16 = stablehlo.broadcast_in_dim %v15, dims = [0, 1, 2] : (tensor<1x2x9xf32>) -> tensor<1x2x9x600xf32>
  %v17 = stablehlo.divide %v13, %v16 : tensor<1x2x9x600xf32>
  %v18 = stablehlo.dot_general %v17, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x9x600xf32>, tensor<1x2x600x8xf32>) -> tensor<1x2x9x8xf32>
  return %v18 : tensor<1x2x9x8xf32>
}
func.func private @added(%q: tensor<1x2x150x8xf32>, %k: tensor<1x2x150x8xf32>, %v: tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x150xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x150x150xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x150x150xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<150x150xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<150x150xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<150x150xi32>, tensor<150x150xi32>) -> tensor<150x150xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<150x150xi1>) -> tensor<1x2x150x150xi1>
  %v8 = stablehlo.constant dense<0.0> : tensor<1x2x150x150xf32>
  %v9 = stablehlo.constant dense<-1.0e+9> : tensor<1x2x150x150xf32>
  %v10 = stablehlo.select %v7, %v8, %v9 : tensor<1x2x150x150xi1>, tensor<1x2x150x150xf32>
  %v11 = stablehlo.add %v3, %v10 : tensor<1x2x150x150xf32>
  %v12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v13 = stablehlo.reduce(%v11 init: %v12) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v15 = stablehlo.subtract %v11, %v14 : tensor<1x2x150x150xf32>
  %v16 = stablehlo.exponential %v15 : tensor<1x2x150x150xf32>
  %v17 = stablehlo.constant dense<0.0> : tensor<f32>
  %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v20 = stablehlo.divide %v16, %v19 : tensor<1x2x150x150xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x150x150xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  return %v21 : tensor<1x2x150x8xf32>
}
func.func private @added_infinity(%q: tensor<1x2x150x8xf32>, %k: tensor<1x2x150x8xf32>, %v: tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x150xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x150x150xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x150x150xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<150x150xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<150x150xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<150x150xi32>, tensor<150x150xi32>) -> tensor<150x150xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<150x150xi1>) -> tensor<1x2x150x150xi1>
  %v8 = stablehlo.constant dense<0.0> : tensor<1x2x150x150xf32>
  %v9 = stablehlo.constant dense<0xFF800000> : tensor<1x2x150x150xf32>
  %v10 = stablehlo.select %v7, %v8, %v9 : tensor<1x2x150x150xi1>, tensor<1x2x150x150xf32>
  %v11 = stablehlo.add %v3, %v10 : tensor<1x2x150x150xf32>
  %v12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v13 = stablehlo.reduce(%v11 init: %v12) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v14 = stablehlo.broadcast_in_dim %v13, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v15 = stablehlo.subtract %v11, %v14 : tensor<1x2x150x150xf32>
  %v16 = stablehlo.exponential %v15 : tensor<1x2x150x150xf32>
  %v17 = stablehlo.constant dense<0.0> : tensor<f32>
  %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.add across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v19 = stablehlo.broadcast_in_dim %v18, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v20 = stablehlo.divide %v16, %v19 : tensor<1x2x150x150xf32>
  %v21 = stablehlo.dot_general %v20, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x150x150xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  return %v21 : tensor<1x2x150x8xf32>
}
func.func private @turned(%q: tensor<1x2x150x8xf32>, %k: tensor<1x2x150x8xf32>, %v: tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<1x2x150x8xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x150xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<1x2x150x150xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<1x2x150x150xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<150x150xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<150x150xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<150x150xi32>, tensor<150x150xi32>) -> tensor<150x150xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<150x150xi1>) -> tensor<1x2x150x150xi1>
  %v8 = stablehlo.not %v7 : tensor<1x2x150x150xi1>
  %v9 = stablehlo.constant dense<-1.0e+30> : tensor<1x2x150x150xf32>
  %v10 = stablehlo.select %v8, %v9, %v3 : tensor<1x2x150x150xi1>, tensor<1x2x150x150xf32>
  %v11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v12 = stablehlo.reduce(%v10 init: %v11) applies stablehlo.maximum across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v13 = stablehlo.broadcast_in_dim %v12, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v14 = stablehlo.subtract %v10, %v13 : tensor<1x2x150x150xf32>
  %v15 = stablehlo.exponential %v14 : tensor<1x2x150x150xf32>
  %v16 = stablehlo.constant dense<0.0> : tensor<f32>
  %v17 = stablehlo.reduce(%v15 init: %v16) applies stablehlo.add across dimensions = [3] : (tensor<1x2x150x150xf32>, tensor<f32>) -> tensor<1x2x150xf32>
  %v18 = stablehlo.broadcast_in_dim %v17, dims = [0, 1, 2] : (tensor<1x2x150xf32>) -> tensor<1x2x150x150xf32>
  %v19 = stablehlo.divide %v15, %v18 : tensor<1x2x150x150xf32>
  %v20 = stablehlo.dot_general %v19, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x150x150xf32>, tensor<1x2x150x8xf32>) -> tensor<1x2x150x8xf32>
  return %v20 : tensor<1x2x150x8xf32>
}
