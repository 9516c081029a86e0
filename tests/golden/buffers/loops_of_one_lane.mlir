// RUN: shardc --print-after=buffers
// Kernels of one chunk are run by one lane: it goes around the loop alone, without a barrier. An update reads the array that it changes, in place; what is read
// of it later is stored before.
func.func @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> (tensor<300xf32>, tensor<300xf32>) {
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<300> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c1, %a = %x, %b = %y) : tensor<i32>, tensor<300xf32>, tensor<300xf32>
  cond {
    %go = stablehlo.compare LT, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %before = stablehlo.subtract %i, %c1 : tensor<i32>
    %after = stablehlo.add %i, %c1 : tensor<i32>
    %a0 = stablehlo.dynamic_slice %a, %before, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %a1 = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %b1 = stablehlo.dynamic_slice %b, %i, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %u = stablehlo.add %a0, %b1 : tensor<1xf32>
    %na = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<300xf32>, tensor<1xf32>, tensor<i32>) -> tensor<300xf32>
    %v = stablehlo.subtract %b1, %a1 : tensor<1xf32>
    %nb = stablehlo.dynamic_update_slice %b, %v, %i : (tensor<300xf32>, tensor<1xf32>, tensor<i32>) -> tensor<300xf32>
    stablehlo.return %after, %na, %nb : tensor<i32>, tensor<300xf32>, tensor<300xf32>
  }
  return %0#1, %0#2 : tensor<300xf32>, tensor<300xf32>
}
// ---- expect
// after buffers
// 1 devices, arena 64 bytes, constants 0 bytes, scratch 0 bytes
b4:i32@0 = loop reshape()  // kernel 0, grid 1, function 1
    b4[] = 1
    loops
result0[300]f32, result1[300]f32 = loop reshape(arg0[300]f32, arg1[300]f32)  // kernel 1, grid 1, function 2
    parallel i0:300
      result0[i0] = arg0[i0]
      result1[i0] = arg1[i0]
    loops 0:300 lanes
while {
    b9:i1@4 = loop compare(b4:i32@0)  // kernel 2, grid 1, function 0
        b9[] = (b4[] < 300)
        loops
} test b9:i1@4 do {
    b10[1]f32@8, b11[1]f32@12 = loop dynamic_slice(result0[300]f32, b4:i32@0, result1[300]f32)  // kernel 3, grid 1, function 0
        r1 = b4[] in 0 .. 299
        b10[0] = result0[r1]
        b11[0] = result1[r1]
        loops
    result0[300]f32 = update subtract+add+dynamic_update_slice(result0[300]f32 in place, b4:i32@0, b11[1]f32@12)  // kernel 4, grid 1, function 0
        r1 = b4[] in 0 .. 299
        r2 = (b4[] - 1) in 0 .. 299
        result0[r1] = (result0[r2] + b11[0])
        loops
    result1[300]f32 = update subtract+dynamic_update_slice(b11[1]f32@12, b10[1]f32@8, b4:i32@0)  // kernel 5, grid 1, function 0
        r1 = b4[] in 0 .. 299
        result1[r1] = (b11[0] - b10[0])
        loops
    b4:i32@0 = loop add(b4:i32@0 in place)  // kernel 6, grid 1, function 0
        b4[] = (b4[] + 1)
        loops
}
