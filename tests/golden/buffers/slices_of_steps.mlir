// RUN: shardc --print-after=buffers
// The gradient of each layer is a sum over the two devices, which hold half of the batch each. Instead of adding two arrays, each device multiplies
// over the whole batch and makes half of the rows: it reads the other's slices of this step where they lie, without a copy.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4x256x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<4x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<4x384x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x384x256xf32>
    %0:2 = stablehlo.while(%i = %c, %all = %cst) : tensor<i32>, tensor<4x384x256xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.subtract %c_1, %i : tensor<i32>
      %3 = stablehlo.dynamic_slice %arg0, %2, %c, %c, sizes = [1, 256, 384] : (tensor<4x256x384xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x384xf32>
      %4 = stablehlo.reshape %3 : (tensor<1x256x384xf32>) -> tensor<256x384xf32>
      %5 = stablehlo.dynamic_slice %arg1, %2, %c, %c, sizes = [1, 256, 256] : (tensor<4x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %7 = stablehlo.dot_general %4, %6, contracting_dims = [0] x [0] : (tensor<256x384xf32>, tensor<256x256xf32>) -> tensor<384x256xf32>
      %8 = stablehlo.reshape %7 : (tensor<384x256xf32>) -> tensor<1x384x256xf32>
      %9 = stablehlo.dynamic_update_slice %all, %8, %2, %c, %c : (tensor<4x384x256xf32>, tensor<1x384x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x384x256xf32>
      %10 = stablehlo.add %i, %c_0 : tensor<i32>
      stablehlo.return %10, %9 : tensor<i32>, tensor<4x384x256xf32>
    }
    return %0#1 : tensor<4x384x256xf32>
  }
}
// ---- expect
// after buffers
// 2 devices, arena 196672 bytes, constants 0 bytes, scratch 459968 bytes
// group 1: 0 0
b3:i32@196608 = loop reshape()  // kernel 0, grid 1, function 0
    b3[] = 0
    loops
barrier 1
while {
    b6:i1@196612 = loop compare(b3:i32@196608)  // kernel 1, grid 1, function 1
        b6[] = (b3[] < 4)
        loops
    barrier 0
} test b6:i1@196612 do {
    b7[192,256]f32@0 = contract subtract+all_to_all+all_gather+dot_general(arg0[4,128,384]f32 of group 1, b3:i32@196608, arg1[4,128,256]f32 of group 1)  // kernel 2, grid 16, function 2
        r1 = (3 - b3[]) in 0 .. 3
        dot_general
          operand 0[i0, i1, i2] = arg0@(0)[r1, i0*128 + i1, i2 + r0*192]
          operand 1[i3, i4, i5] = arg1@(0)[r1, i3*128 + i4, i5]
    barrier 1
    result0[4,384,256]f32 = update subtract+dynamic_update_slice+all_gather(b7[192,256]f32@0 of group 1, b3:i32@196608)  // kernel 3, grid 96, function 3, once for group 1, 393216 bytes of collectives
        r1 = (3 - b3[]) in 0 .. 3
        parallel i1:384
          parallel i2:256
            result0[r1, i1, i2] = b7@(i1/192)[i1%192, i2]
        loops 1/192:2, 1*2:49152 lanes
    barrier 1
    b3:i32@196608 = loop add(b3:i32@196608 in place)  // kernel 4, grid 1, function 4
        b3[] = (b3[] + 1)
        loops
    barrier 1
}
