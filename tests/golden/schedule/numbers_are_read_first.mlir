// RUN: shardc --print-after=schedule
func.func @main(%table: tensor<50x16xf32>, %rows: tensor<12xi32>, %start: tensor<i32>) -> tensor<4x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<50x16xf32>, tensor<12xi32>) -> tensor<12x16xf32>
  %1 = stablehlo.dynamic_slice %0, %start, %zero, sizes = [4, 16] : (tensor<12x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[4,16]f32 = loop gather+dynamic_slice(arg0[50,16]f32, arg1[12]i32, arg2:i32)  // kernel 0, grid 1
    r1 = arg2[] in 0 .. 8
    r2 = arg1[i0 + r1] in 0 .. 49
    parallel i0:4
      parallel i1:16
        result0[i0, i1] = arg0[r2, i1]
    loops 0:4, 1:16 lanes
