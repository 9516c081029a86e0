// Attention whose queries are sharded along the sequence, and all of it over the batch.
// tolerance: 2e-5
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%q: tensor<2x2x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}, {}]>}, %k: tensor<2x2x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}, {}]>}, %v: tensor<2x2x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}, {}]>}) -> tensor<2x2x64x8xf32> {
  %v1 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x2x64x8xf32>, tensor<2x2x64x8xf32>) -> tensor<2x2x64x64xf32>
  %v2 = stablehlo.constant dense<4.0> : tensor<2x2x64x64xf32>
  %v3 = stablehlo.divide %v1, %v2 : tensor<2x2x64x64xf32>
  %v4 = stablehlo.iota dim = 0 : tensor<64x64xi32>
  %v5 = stablehlo.iota dim = 1 : tensor<64x64xi32>
  %v6 = stablehlo.compare GE, %v4, %v5, SIGNED : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %v7 = stablehlo.broadcast_in_dim %v6, dims = [2, 3] : (tensor<64x64xi1>) -> tensor<2x2x64x64xi1>
  %v8 = stablehlo.constant dense<0xFF800000> : tensor<2x2x64x64xf32>
  %v9 = stablehlo.select %v7, %v3, %v8 : tensor<2x2x64x64xi1>, tensor<2x2x64x64xf32>
  %v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x64x64xf32>, tensor<f32>) -> tensor<2x2x64xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2] : (tensor<2x2x64xf32>) -> tensor<2x2x64x64xf32>
  %v13 = stablehlo.subtract %v9, %v12 : tensor<2x2x64x64xf32>
  %v14 = stablehlo.exponential %v13 : tensor<2x2x64x64xf32>
  %v15 = stablehlo.constant dense<0.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.add across dimensions = [3] : (tensor<2x2x64x64xf32>, tensor<f32>) -> tensor<2x2x64xf32>
  %v17 = stablehlo.broadcast_in_dim %v16, dims = [0, 1, 2] : (tensor<2x2x64xf32>) -> tensor<2x2x64x64xf32>
  %v18 = stablehlo.divide %v14, %v17 : tensor<2x2x64x64xf32>
  %v19 = stablehlo.dot_general %v18, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x2x64x64xf32>, tensor<2x2x64x8xf32>) -> tensor<2x2x64x8xf32>
  return %v19 : tensor<2x2x64x8xf32>
}
