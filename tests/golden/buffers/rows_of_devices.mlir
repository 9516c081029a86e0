// RUN: shardc --print-after=buffers
// Rows that two devices share: one kernel without a barrier, which reads and writes the memory of both.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<128x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<128x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<128x1024xf32>, tensor<f32>) -> tensor<128xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %cst_0 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<128x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x1024xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<128x1024xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<128x1024xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<128x1024xf32>, tensor<f32>) -> tensor<128xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %cst_2 = stablehlo.constant dense<4.096000e+03> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<128x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x1024xf32>
    %12 = stablehlo.subtract %arg0, %11 : tensor<128x1024xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<128x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<128x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<128x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x1024xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<128x1024xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<1024xf32>) -> tensor<1x1024xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x1024xf32>) -> tensor<128x1024xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<128x1024xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1024xf32>) -> tensor<1x1024xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x1024xf32>) -> tensor<128x1024xf32>
    %23 = stablehlo.add %20, %22 : tensor<128x1024xf32>
    %24 = stablehlo.tanh %23 : tensor<128x1024xf32>
    %25 = stablehlo.add %24, %arg0 : tensor<128x1024xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_4) applies stablehlo.maximum across dimensions = [1] : (tensor<128x1024xf32>, tensor<f32>) -> tensor<128xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %28 = stablehlo.maximum %27, %26 : tensor<128xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x1024xf32>
    %31 = stablehlo.subtract %25, %30 : tensor<128x1024xf32>
    %32 = stablehlo.exponential %31 : tensor<128x1024xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<128x1024xf32>, tensor<f32>) -> tensor<128xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x1024xf32>
    %36 = stablehlo.divide %32, %35 : tensor<128x1024xf32>
    return %36 : tensor<128x1024xf32>
  }
}
// ---- expect
// after buffers
// 2 devices, arena 0 bytes, constants 0 bytes, scratch 4096 bytes
// group 1: 0 0
result0[128,512]f32 = loop all_to_all+reduce+divide+subtract+multiply+add(arg0[128,512]f32 of group 1, arg1[512]f32 of group 1, arg2[512]f32 of group 1)  // kernel 0, grid 64, function 0, 2048 bytes of collectives
    parallel i0:64
      local l0[1024]f32 at 0
      local l1[1024]f32 at 0
      pass i15:2, i16:512
        fold f0 = add of arg0@(0)[i0 + r0*64, i15*512 + i16] from 0
        loops 0*1:1024 lanes
      pass i15:2, i16:512
        x0 = (arg0@(0)[i0 + r0*64, i15*512 + i16] - (f0 / 4096))
        fold f1 = add of (x0 * x0) from 0
        loops 0*1:1024 lanes
      pass i15:2, i16:512
        x0 = (tanh(((((arg0@(0)[i0 + r0*64, i15*512 + i16] - (f0 / 4096)) * rsqrt(((f1 / 4096) + 1e-05))) * arg1@(0)[i15*512 + i16]) + arg2@(0)[i15*512 + i16])) + arg0@(0)[i0 + r0*64, i15*512 + i16])
        l0[i15*512 + i16] = x0
        fold f2 = maximum of x0 from -inf
        loops 0*1:1024 lanes
      pass i15:2, i16:512
        x0 = exponential((l0[i15*512 + i16] - maximum(-inf, f2)))
        l1[i15*512 + i16] = x0
        fold f3 = add of x0 from 0
        loops 0*1:1024 lanes
      pass i15:2, i16:512
        result0@(0)[i0 + r0*64, i15*512 + i16] = (l1[i15*512 + i16] / f3)
        loops 0*1:1024 lanes
    loops 0:64
