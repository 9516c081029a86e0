// RUN: shardc --print-after=buffers
// What the devices along an axis of the mesh hold alike, as nothing is sharded over it, is made once: each of them takes a part of the kernel's
// grid. Few numbers are made by every device. A loop's carry is made once, as all of its kernels are.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<256x256xf32>, %b: tensor<256xf32>) -> (tensor<128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %s = stablehlo.exponential %b : tensor<256xf32>
    %0:2 = stablehlo.while(%i = %c, %y = %x) : tensor<i32>, tensor<128x256xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
      %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<256xf32>) -> tensor<128x256xf32>
      %3 = stablehlo.multiply %1, %2 : tensor<128x256xf32>
      %4 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<128x256xf32>
    }
    return %0#1 : tensor<128x256xf32>
  }
}
// ---- expect
// after buffers
// 4 devices, arena 132160 bytes, constants 0 bytes, scratch 330944 bytes
// group 1: 0 0 0 0
// group 2: 0 0 1 1
b6[256]f32@131072 = loop exponential(arg2[256]f32)  // kernel 0, grid 1, function 0
    parallel i0:256
      b6[i0] = exponential(arg2[i0])
    loops 0:256 lanes
b7[4,256,16,1]f32@0 = loop partition_id+convert+transpose(arg1[256,256]f32)  // kernel 1, grid 16, function 1
    parallel i0:4
      parallel i1:256
        parallel i2:16
          b7[i0, i1, i2, 0] = arg1[i1, i0*16 + i2 + r0*64]
    loops 0:4, 1:256 by 16, 2:16 lanes
b4:i32@132096 = loop reshape()  // kernel 2, grid 1, function 2
    b4[] = 0
    loops
result0[64,256]f32 = loop reshape(arg0[64,256]f32)  // kernel 3, grid 16, function 3, once for group 2
    parallel i0:64
      parallel i1:256
        result0[i0, i1] = arg0[i0, i1]
    loops 0*1:16384 lanes
barrier 1
while {
    b8:i1@132100 = loop compare(b4:i32@132096)  // kernel 4, grid 1, function 4
        b8[] = (b4[] < 3)
        loops
    barrier 0
} test b8:i1@132100 do {
    b4:i32@132096 = loop add(b4:i32@132096 in place)  // kernel 5, grid 1, function 5
        b4[] = (b4[] + 1)
        loops
    b10[64,256]f32@65536 = contract multiply+all_gather+dot_general with epilogue(result0[64,256]f32, b7[4,256,16,1]f32@0 of group 1, b6[256]f32@131072)  // kernel 6, grid 8, function 6, once for group 2
        s0 = dot_general
          operand 0[i0, i1, i2] = result0[i0, i1]
          operand 1[i3, i4, i5, i6] = b7@(i3/4)[i3%4, i4, i5, 0]
        parallel i7:64
          parallel i8:16
            parallel i9:16
              b10[i7, i8*16 + i9] = (s0 * b6[i8*16 + i9])
    barrier 2
    result0[64,256]f32 = loop reshape(b10[64,256]f32@65536)  // kernel 7, grid 16, function 7, once for group 2
        parallel i0:64
          parallel i1:256
            result0[i0, i1] = b10[i0, i1]
        loops 0*1:16384 lanes
    barrier 2
}
