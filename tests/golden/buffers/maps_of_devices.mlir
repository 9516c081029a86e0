// RUN: shardc --print-after=buffers
// Tiles that are parts of rows: each device makes whole rows of the caller's arrays, in the order in which they lie.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<64x256xf32>
    return %1 : tensor<64x256xf32>
  }
}
// ---- expect
// after buffers
// 8 devices, arena 0 bytes, constants 0 bytes, scratch 0 bytes
// group 1: 0 0 0 0 1 1 1 1
result0[32,64]f32 = loop multiply(arg0[32,64]f32 of group 1, arg1[64]f32 of group 1)  // kernel 0, grid 1, function 0
    t0 = 0 1 2 3 0 1 2 3
    t2 = 0 0 0 0 32 32 32 32
    parallel i2:8
      parallel i3:4
        parallel i4:64
          result0@(0)[i2 + t0(r0)*8 + t2(r0), i3*64 + i4] = (arg0@(0)[i2 + t0(r0)*8 + t2(r0), i3*64 + i4] * arg1@(0)[i3*64 + i4])
    loops 0:8, 1*2:256 lanes
