// RUN: shardc --print-after=schedule
// Short rows of a table are copied as rows: vectors across them would gather each element.
func.func @main(%t: tensor<1000x8xf32>, %i: tensor<5000xi32>) -> tensor<5000x8xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<1000x8xf32>, tensor<5000xi32>) -> tensor<5000x8xf32>
  return %0 : tensor<5000x8xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[5000,8]f32 = loop gather(arg0[1000,8]f32, arg1[5000]i32)  // kernel 0, grid 24
    r1 = arg1[i0] in 0 .. 999
    parallel i0:5000
      parallel i1:8
        result0[i0, i1] = arg0[r1, i1]
    loops 0:5000, 1:8 lanes
