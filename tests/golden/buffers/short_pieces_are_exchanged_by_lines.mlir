// RUN: shardc --print-after=buffers
// An exchange of columns: each device reads its rows once, and stores every column where it belongs.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<4096x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16384x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<1024x4xf32>) {
      %1 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : (tensor<1024x4xf32>) -> tensor<4096x1xf32>
      sdy.return %1 : tensor<4096x1xf32>
    } : (tensor<4096x4xf32>) -> tensor<16384x1xf32>
    return %0 : tensor<16384x1xf32>
  }
}
// ---- expect
// after buffers
// 4 devices, arena 0 bytes, constants 0 bytes, scratch 0 bytes
// group 1: 0 0 0 0
result0[4096,1]f32 = loop all_to_all(arg0[1024,4]f32 of group 1)  // kernel 0, grid 1, function 0, 16384 bytes of collectives
    parallel i2:1024
      result0@(0)[r0*1024 + i2, 0] = arg0@(0)[r0*1024 + i2, 0]
      result0@(0)[r0*1024 + i2 + 4096, 0] = arg0@(0)[r0*1024 + i2, 1]
      result0@(0)[r0*1024 + i2 + 8192, 0] = arg0@(0)[r0*1024 + i2, 2]
      result0@(0)[r0*1024 + i2 + 12288, 0] = arg0@(0)[r0*1024 + i2, 3]
    loops 0:1024 lanes
