// RUN: shardc --print-after=buffers
// Each step changes the first rows, then adds to the last ones, then moves some rows from one place to another: what an update needs of the array besides the elements that it writes is stored before. No step copies the array.
func.func @main(%x: tensor<512x64xf32>, %u: tensor<4x64xf32>) -> tensor<512x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<20> : tensor<i32>
  %end = stablehlo.constant dense<508> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<512x64xf32>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %fb = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4x64xf32>
    %p = stablehlo.multiply %u, %fb : tensor<4x64xf32>
    %b = stablehlo.dynamic_update_slice %a, %p, %zero, %zero : (tensor<512x64xf32>, tensor<4x64xf32>, tensor<i32>, tensor<i32>) -> tensor<512x64xf32>
    %old = stablehlo.slice %b [508:512, 0:64] : (tensor<512x64xf32>) -> tensor<4x64xf32>
    %q = stablehlo.add %old, %u : tensor<4x64xf32>
    %c = stablehlo.dynamic_update_slice %b, %q, %end, %zero : (tensor<512x64xf32>, tensor<4x64xf32>, tensor<i32>, tensor<i32>) -> tensor<512x64xf32>
    %to = stablehlo.add %i, %one : tensor<i32>
    %rows = stablehlo.dynamic_slice %c, %i, %zero, sizes = [4, 64] : (tensor<512x64xf32>, tensor<i32>, tensor<i32>) -> tensor<4x64xf32>
    %d = stablehlo.dynamic_update_slice %c, %rows, %to, %zero : (tensor<512x64xf32>, tensor<4x64xf32>, tensor<i32>, tensor<i32>) -> tensor<512x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %d : tensor<i32>, tensor<512x64xf32>
  }
  return %0#1 : tensor<512x64xf32>
}
// ---- expect
// after buffers
// 1 devices, arena 2112 bytes, constants 0 bytes, scratch 0 bytes
b3:i32@2048 = loop reshape()  // kernel 0, grid 1, function 1
    b3[] = 0
    loops
result0[512,64]f32 = loop reshape(arg0[512,64]f32)  // kernel 1, grid 32, function 2
    parallel i0:512
      parallel i1:64
        result0[i0, i1] = arg0[i0, i1]
    loops 0*1:32768 lanes
barrier 0
while {
    b9:i1@2052 = loop compare(b3:i32@2048)  // kernel 2, grid 1, function 0
        b9[] = (b3[] < 20)
        loops
} test b9:i1@2052 do {
    result0[4,64]f32 = loop convert+multiply(arg1[4,64]f32, b3:i32@2048)  // kernel 3, grid 1, function 0
        parallel i0:4
          parallel i1:64
            result0[i0, i1] = (arg1[i0, i1] * f32(b3[]))
        loops 0*1:256 lanes
    b10[4,64]f32@0 = loop slice(result0[512,64]f32)  // kernel 4, grid 1, function 0
        parallel i0:4
          parallel i1:64
            b10[i0, i1] = result0[i0 + 508, i1]
        loops 0*1:256 lanes
    result0[512,64]f32 = update add+dynamic_update_slice(b10[4,64]f32@0, arg1[4,64]f32)  // kernel 5, grid 1, function 0
        parallel i0:4
          parallel i1:64
            result0[i0 + 508, i1] = (b10[i0, i1] + arg1[i0, i1])
        loops 0*1:256 lanes
    b11[4,64]f32@1024 = loop dynamic_slice(result0[512,64]f32, b3:i32@2048)  // kernel 6, grid 1, function 0
        r1 = b3[] in 0 .. 508
        parallel i0:4
          parallel i1:64
            b11[i0, i1] = result0[i0 + r1, i1]
        loops 0*1:256 lanes
    result0[512,64]f32 = update add+dynamic_update_slice(b11[4,64]f32@1024, b3:i32@2048)  // kernel 7, grid 1, function 0
        r1 = (b3[] + 1) in 0 .. 508
        parallel i0:4
          parallel i1:64
            result0[i0 + r1, i1] = b11[i0, i1]
        loops 0*1:256 lanes
    b3:i32@2048 = loop add+reshape(b3:i32@2048 in place)  // kernel 8, grid 1, function 0
        b3[] = (b3[] + 1)
        loops
}
