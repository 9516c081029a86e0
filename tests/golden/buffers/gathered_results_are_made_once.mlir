// RUN: shardc --print-after=buffers
// A gathered result that every device keeps: each makes its part once, and stores it where the caller gets it.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<256x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<64x32xf32>) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<16x32xf32>) {
      %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<16x32xf32>) -> tensor<64x32xf32>
      %3 = stablehlo.exponential %2 : tensor<64x32xf32>
      sdy.return %3 : tensor<64x32xf32>
    } : (tensor<64x32xf32>) -> tensor<256x32xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<64x32xf32>
    return %0, %1 : tensor<256x32xf32>, tensor<64x32xf32>
  }
}
// ---- expect
// after buffers
// 4 devices, arena 0 bytes, constants 0 bytes, scratch 0 bytes
// group 1: 0 0 0 0
result1[64,32]f32, result0[64,32]f32 = loop exponential+all_gather(arg0[16,32]f32 of group 1)  // kernel 0, grid 1, function 0, 8192 bytes of collectives
    parallel i2:16
      parallel i3:32
        x0 = exponential(arg0@(0)[r0*16 + i2, i3])
        result1@(0)[r0*16 + i2, i3] = arg0@(0)[r0*16 + i2, i3]
        result0@(0)[r0*16 + i2, i3] = x0
        result0@(0)[r0*16 + i2 + 64, i3] = x0
        result0@(0)[r0*16 + i2 + 128, i3] = x0
        result0@(0)[r0*16 + i2 + 192, i3] = x0
    loops 0*1:512 lanes
