// RUN: shardc --print-after=schedule
// 144 KB are several chunks, but for a round of a loop too few: its kernels are not cut. The second loop has a large kernel, and so stays as it is.
func.func @main(%a: tensor<48x384xf32>, %b: tensor<256x384xf32>) -> (tensor<48x384xf32>, tensor<256x384xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<48x384xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %y = stablehlo.reverse %x, dims = [0] : tensor<48x384xf32>
    %z = stablehlo.add %x, %y : tensor<48x384xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<48x384xf32>
  }
  %1:2 = stablehlo.while(%i = %zero, %x = %b) : tensor<i32>, tensor<256x384xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %y = stablehlo.reverse %x, dims = [0] : tensor<256x384xf32>
    %z = stablehlo.add %x, %y : tensor<256x384xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<256x384xf32>
  }
  return %0#1, %1#1 : tensor<48x384xf32>, tensor<256x384xf32>
}
// ---- expect
// after schedule
// 1 devices
b6:i32 = loop reshape()  // kernel 0, grid 1
    b6[] = 0
    loops
result0[48,384]f32 = loop reshape(arg0[48,384]f32)  // kernel 1, grid 16
    parallel i0:48
      parallel i1:384
        result0[i0, i1] = arg0[i0, i1]
    loops 0*1:18432 lanes
while {
    b8:i1 = loop compare(b6:i32)  // kernel 2, grid 1
        b8[] = (b6[] < 3)
        loops
} test b8:i1 do {
    b6:i32 = loop add(b6:i32 in place)  // kernel 3, grid 1
        b6[] = (b6[] + 1)
        loops
    b10[48,384]f32 = loop add(result0[48,384]f32)  // kernel 4, grid 1
        parallel i0:48
          parallel i1:384
            b10[i0, i1] = (result0[i0, i1] + result0[47 - i0, i1])
        loops 0:48, 1:384 lanes
    result0[48,384]f32 = loop reshape(b10[48,384]f32)  // kernel 5, grid 1
        parallel i0:48
          parallel i1:384
            result0[i0, i1] = b10[i0, i1]
        loops 0*1:18432 lanes
}
b4:i32 = loop reshape()  // kernel 6, grid 1
    b4[] = 0
    loops
result1[256,384]f32 = loop reshape(arg1[256,384]f32)  // kernel 7, grid 96
    parallel i0:256
      parallel i1:384
        result1[i0, i1] = arg1[i0, i1]
    loops 0*1:98304 lanes
while {
    b11:i1 = loop compare(b4:i32)  // kernel 8, grid 1
        b11[] = (b4[] < 3)
        loops
} test b11:i1 do {
    b4:i32 = loop add(b4:i32 in place)  // kernel 9, grid 1
        b4[] = (b4[] + 1)
        loops
    b13[256,384]f32 = loop add(result1[256,384]f32)  // kernel 10, grid 96
        parallel i0:256
          parallel i1:384
            b13[i0, i1] = (result1[i0, i1] + result1[255 - i0, i1])
        loops 0:256, 1:384 lanes
    result1[256,384]f32 = loop reshape(b13[256,384]f32)  // kernel 11, grid 96
        parallel i0:256
          parallel i1:384
            result1[i0, i1] = b13[i0, i1]
        loops 0*1:98304 lanes
}
