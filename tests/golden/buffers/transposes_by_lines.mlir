// RUN: shardc --print-after=buffers
// What goes around the caches is written in whole lines that lie anywhere; the operand is read along its rows. Rows that are no whole lines begin at other places each: these are tiles as they were.
func.func @main(%a: tensor<4096x4096xf32>, %b: tensor<4097x4096xf32>) -> (tensor<4096x4096xf32>, tensor<4096x4097xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = stablehlo.transpose %b, dims = [1, 0] : (tensor<4097x4096xf32>) -> tensor<4096x4097xf32>
  return %0, %1 : tensor<4096x4096xf32>, tensor<4096x4097xf32>
}
// ---- expect
// after buffers
// 1 devices, arena 0 bytes, constants 0 bytes, scratch 0 bytes
result0[4096,4096]f32 = loop transpose(arg0[4096,4096]f32)  // kernel 0, grid 4096, function 0
    parallel i0:4096
      parallel i1:4096
        result0[i0, i1] = arg0[i1, i0]
    loops 0:4096 tile, 1:4096 lanes of a line
result1[4096,4097]f32 = loop transpose(arg1[4097,4096]f32)  // kernel 1, grid 4097, function 1
    parallel i0:4096
      parallel i1:4097
        result1[i0, i1] = arg1[i1, i0]
    loops 0:4096 tile, 1:4097 lanes
