// RUN: shardc --print-after=schedule
// Numbers of a gather that take a logarithm are made in vectors before, cheap ones where they are used.
func.func @main(%t: tensor<64x4xf32>, %x: tensor<4096xf32>, %i: tensor<4096xi32>) -> (tensor<4096x4xf32>, tensor<4096x4xf32>) {
  %0 = stablehlo.log %x : tensor<4096xf32>
  %1 = stablehlo.exponential %0 : tensor<4096xf32>
  %2 = stablehlo.log %1 : tensor<4096xf32>
  %3 = stablehlo.convert %2 : (tensor<4096xf32>) -> tensor<4096xi32>
  %4 = stablehlo.reshape %3 : (tensor<4096xi32>) -> tensor<4096x1xi32>
  %5 = "stablehlo.gather"(%t, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<64x4xf32>, tensor<4096x1xi32>) -> tensor<4096x4xf32>
  %c = stablehlo.constant dense<1> : tensor<4096xi32>
  %6 = stablehlo.add %i, %c : tensor<4096xi32>
  %7 = stablehlo.reshape %6 : (tensor<4096xi32>) -> tensor<4096x1xi32>
  %8 = "stablehlo.gather"(%t, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<64x4xf32>, tensor<4096x1xi32>) -> tensor<4096x4xf32>
  return %5, %8 : tensor<4096x4xf32>, tensor<4096x4xf32>
}
// ---- expect
// after schedule
// 1 devices
b5[4096]i32 = loop log+exponential+convert(arg1[4096]f32)  // kernel 0, grid 28
    parallel i0:4096
      b5[i0] = i32(log(exponential(log(arg1[i0]))))
    loops 0:4096 lanes
result0[4096,4]f32 = loop gather(arg0[64,4]f32, b5[4096]i32)  // kernel 1, grid 8
    r1 = b5[i0] in 0 .. 63
    parallel i0:4096
      parallel i1:4
        result0[i0, i1] = arg0[r1, i1]
    loops 0:4096, 1:4 lanes
result1[4096,4]f32 = loop add+gather(arg0[64,4]f32, arg2[4096]i32)  // kernel 2, grid 8
    r1 = (arg2[i0] + 1) in 0 .. 63
    parallel i0:4096
      parallel i1:4
        result1[i0, i1] = arg0[r1, i1]
    loops 0:4096, 1:4 lanes
