// RUN: shardc --print-after=buffers
// Sums over rows that two devices share: a barrier stands before each sum over devices, and arrays that no step needs at the same time share their place.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4096x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096x16xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<16xf32>) -> tensor<4096x16xf32>
  %2 = stablehlo.maximum %a, %1 : tensor<4096x16xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096x16xf32>, tensor<f32>) -> tensor<16xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<16xf32>) -> tensor<4096x16xf32>
  %5 = stablehlo.minimum %a, %4 : tensor<4096x16xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %6 : tensor<16xf32>
}
// ---- expect
// after buffers
// 2 devices, arena 192 bytes, constants 0 bytes, scratch 0 bytes
// group 1: 0 0
b2[16]f32@0 = reduce reduce(arg0[2048,16]f32)  // kernel 0, grid 16, function 0
    parallel i0:16
      fold f0 = add over i1:2048 of arg0[i1, i0] from 0
      b2[i0] = f0
    loops 0:16 lanes, fold by columns
barrier 1
b3[16]f32@64 = reduce all_reduce(b2[16]f32@0 of group 1)  // kernel 1, grid 1, function 1, 64 bytes of collectives
    parallel i0:16
      fold f0 = add over i1:1 of b2@(1)[i0] from b2@(0)[i0]
      b3[i0] = f0
    loops 0:16 lanes
barrier 0
b4[16]f32@128 = reduce maximum+reduce(arg0[2048,16]f32, b3[16]f32@64)  // kernel 2, grid 16, function 2
    parallel i0:16
      fold f0 = add over i1:2048 of maximum(arg0[i1, i0], b3[i0]) from 0
      b4[i0] = f0
    loops 0:16 lanes, fold by columns
barrier 1
b5[16]f32@0 = reduce all_reduce(b4[16]f32@128 of group 1)  // kernel 3, grid 1, function 1, 64 bytes of collectives
    parallel i0:16
      fold f0 = add over i1:1 of b4@(1)[i0] from b4@(0)[i0]
      b5[i0] = f0
    loops 0:16 lanes
barrier 0
b6[16]f32@64 = reduce minimum+reduce(arg0[2048,16]f32, b5[16]f32@0)  // kernel 4, grid 16, function 3
    parallel i0:16
      fold f0 = add over i1:2048 of minimum(arg0[i1, i0], b5[i0]) from 0
      b6[i0] = f0
    loops 0:16 lanes, fold by columns
barrier 1
result0[16]f32 = reduce all_reduce(b6[16]f32@64 of group 1)  // kernel 5, grid 1, function 4, 64 bytes of collectives
    parallel i0:16
      fold f0 = add over i1:1 of b6@(1)[i0] from b6@(0)[i0]
      result0[i0] = f0
    loops 0:16 lanes
