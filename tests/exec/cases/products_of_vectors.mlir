// Products of vectors: dimensions in other orders, batches, narrow types, as a sum beside a transposed array.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=2]>
func.func @main(
    %a: tensor<96x4x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %b: tensor<4x128x96xf32>,
    %c: tensor<130x130xf32>, %d: tensor<130x130xf32>, %e: tensor<7x33xbf16>, %f: tensor<33x7xbf16>,
    %g: tensor<5x40xi8>, %h: tensor<5x40xi8>, %i: tensor<6x3xf32>, %j: tensor<3x6xf32>)
    -> (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<7xbf16>, tensor<7xf32>, tensor<5xi32>, tensor<6x3xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [2, 0] x [1, 2] : (tensor<96x4x128xf32>, tensor<4x128x96xf32>) -> tensor<4xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [0, 1] x [1, 0] : (tensor<130x130xf32>, tensor<130x130xf32>) -> tensor<f32>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [0, 1] x [0, 1] : (tensor<130x130xf32>, tensor<130x130xf32>) -> tensor<f32>
  %3 = stablehlo.dot_general %e, %f, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<7x33xbf16>, tensor<33x7xbf16>) -> tensor<7xbf16>
  %4 = stablehlo.dot_general %e, %f, batching_dims = [0] x [1], contracting_dims = [1] x [0] : (tensor<7x33xbf16>, tensor<33x7xbf16>) -> tensor<7xf32>
  %5 = stablehlo.dot_general %g, %h, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<5x40xi8>, tensor<5x40xi8>) -> tensor<5xi32>
  %6 = stablehlo.dot_general %i, %j, batching_dims = [0, 1] x [1, 0], contracting_dims = [] x [] : (tensor<6x3xf32>, tensor<3x6xf32>) -> tensor<6x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<7xbf16>, tensor<7xf32>, tensor<5xi32>, tensor<6x3xf32>
}
