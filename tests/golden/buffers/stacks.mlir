// RUN: shardc --print-after=buffers
// What a step of a loop makes for a slice of a carried array is made there: the products, and a value that others read, too. A value that the
// loop carries to the next step is copied.
module {
  func.func public @main(%arg0: tensor<64x128xf32>, %arg1: tensor<6x128x128xf32>) -> (tensor<64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<6x64x128xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<64x128xf32>
    %0:5 = stablehlo.while(%i = %c, %x = %arg0, %sums = %cst, %halves = %cst, %all = %cst) : tensor<i32>, tensor<64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.subtract %c_1, %i : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg1, %1, %c, %c, sizes = [1, 128, 128] : (tensor<6x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x128xf32>
      %3 = stablehlo.reshape %2 : (tensor<1x128x128xf32>) -> tensor<128x128xf32>
      %4 = stablehlo.dot_general %x, %3, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
      %5 = stablehlo.reshape %4 : (tensor<64x128xf32>) -> tensor<1x64x128xf32>
      %6 = stablehlo.dynamic_update_slice %sums, %5, %i, %c, %c : (tensor<6x64x128xf32>, tensor<1x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x64x128xf32>
      %7 = stablehlo.dot_general %4, %3, contracting_dims = [1] x [1] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
      %8 = stablehlo.multiply %7, %cst_0 : tensor<64x128xf32>
      %9 = stablehlo.reshape %8 : (tensor<64x128xf32>) -> tensor<1x64x128xf32>
      %10 = stablehlo.dynamic_update_slice %halves, %9, %1, %c, %c : (tensor<6x64x128xf32>, tensor<1x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x64x128xf32>
      %11 = stablehlo.add %x, %4 : tensor<64x128xf32>
      %12 = stablehlo.reshape %11 : (tensor<64x128xf32>) -> tensor<1x64x128xf32>
      %13 = stablehlo.dynamic_update_slice %all, %12, %i, %c, %c : (tensor<6x64x128xf32>, tensor<1x64x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x64x128xf32>
      %14 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %14, %11, %6, %10, %13 : tensor<i32>, tensor<64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>
    }
    return %0#1, %0#2, %0#3, %0#4 : tensor<64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>, tensor<6x64x128xf32>
  }
}
// ---- expect
// after buffers
// 1 devices, arena 64 bytes, constants 0 bytes, scratch 100544 bytes
b6:i32@0 = loop reshape()  // kernel 0, grid 1, function 0
    b6[] = 0
    loops
result0[64,128]f32 = loop reshape(arg0[64,128]f32)  // kernel 1, grid 8, function 1
    parallel i0:64
      parallel i1:128
        result0[i0, i1] = arg0[i0, i1]
    loops 0*1:8192 lanes
barrier 0
while {
    b16:i1@4 = loop compare(b6:i32@0)  // kernel 2, grid 1, function 2
        b16[] = (b6[] < 6)
        loops
    barrier 0
} test b16:i1@4 do {
    result1[64,128]f32 = contract subtract+dot_general(result0[64,128]f32, arg1[6,128,128]f32, b6:i32@0)  // kernel 3, grid 2, function 3
        r1 = (5 - b6[]) in 0 .. 5
        r2 = b6[] in 0 .. 5
        result1 from r2*8192
        dot_general
          operand 1[i0, i1] = arg1[r1, i0, i1]
    barrier 0
    result2[64,128]f32 = contract subtract+dot_general+multiply with epilogue(result1[64,128]f32, b6:i32@0, arg1[6,128,128]f32)  // kernel 4, grid 2, function 4
        r1 = (5 - b6[]) in 0 .. 5
        r2 = b6[] in 0 .. 5
        result2 from r1*8192
        result1 from r2*8192
        s0 = dot_general
          operand 1[i0, i1] = arg1[r1, i0, i1]
        parallel i2:64
          parallel i3:128
            result2[i2, i3] = (s0 * 0.5)
    result0[64,128]f32 = loop add(result0[64,128]f32 in place, result1[64,128]f32, b6:i32@0)  // kernel 5, grid 12, function 5
        r1 = b6[] in 0 .. 5
        result1 from r1*8192
        parallel i0:64
          parallel i1:128
            result0[i0, i1] = (result0[i0, i1] + result1[i0, i1])
        loops 0*1:8192 lanes
    barrier 0
    result3[6,64,128]f32 = update dynamic_update_slice(result0[64,128]f32, b6:i32@0)  // kernel 6, grid 8, function 6
        r1 = b6[] in 0 .. 5
        parallel i1:64
          parallel i2:128
            result3[r1, i1, i2] = result0[i1, i2]
        loops 1*2:8192 lanes
    barrier 0
    b6:i32@0 = loop add(b6:i32@0 in place)  // kernel 7, grid 1, function 7
        b6[] = (b6[] + 1)
        loops
    barrier 0
}
