// The columns of a right side of a product in an order that comes from an array: what is packed next is named at
// the place that the array gives.
// tolerance: 1e-5
func.func @main(%a: tensor<9x5xf32>, %b: tensor<6x5xf32>, %k: tensor<5xf32>) -> tensor<9x5xf32> {
  %p = stablehlo.iota dim = 0 : tensor<5xi32>
  %s:2 = "stablehlo.sort"(%k, %p) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%k0: tensor<f32>, %k1: tensor<f32>, %l0: tensor<i32>, %l1: tensor<i32>):
    %less = stablehlo.compare LT, %k0, %k1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
  %o = stablehlo.reshape %s#1 : (tensor<5xi32>) -> tensor<5x1xi32>
  %c = stablehlo.slice %b [0:5, 0:5] : (tensor<6x5xf32>) -> tensor<5x5xf32>
  %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %g = "stablehlo.gather"(%t, %o) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 5, 1>}> : (tensor<5x5xf32>, tensor<5x1xi32>) -> tensor<5x5xf32>
  %r = stablehlo.dot_general %a, %g, contracting_dims = [1] x [0] : (tensor<9x5xf32>, tensor<5x5xf32>) -> tensor<9x5xf32>
  return %r : tensor<9x5xf32>
}
