// Rows that devices share before, in and after a loop, and between products.
// tolerance: 1e-5
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<128x512xf32>, tensor<128x512xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<128x512xf32>
    %6 = stablehlo.exponential %5 : tensor<128x512xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %10 = stablehlo.divide %6, %9 : tensor<128x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %11:3 = stablehlo.while(%iterArg = %10, %iterArg_5 = %c, %iterArg_6 = %10) : tensor<128x512xf32>, tensor<i32>, tensor<128x512xf32>
    cond {
      %c_7 = stablehlo.constant dense<2> : tensor<i32>
      %26 = stablehlo.compare LT, %iterArg_5, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %26 : tensor<i1>
    } do {
      %26 = func.call @closed_call(%iterArg, %iterArg_6) : (tensor<128x512xf32>, tensor<128x512xf32>) -> tensor<128x512xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %27 = stablehlo.add %iterArg_5, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %27, %26 : tensor<128x512xf32>, tensor<i32>, tensor<128x512xf32>
    }
    %12 = stablehlo.dot_general %11#2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
    %13 = stablehlo.tanh %12 : tensor<128x512xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %16 = stablehlo.maximum %15, %14 : tensor<128xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %19 = stablehlo.subtract %13, %18 : tensor<128x512xf32>
    %20 = stablehlo.exponential %19 : tensor<128x512xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %24 = stablehlo.divide %20, %23 : tensor<128x512xf32>
    %25 = stablehlo.add %24, %11#2 : tensor<128x512xf32>
    return %25, %13 : tensor<128x512xf32>, tensor<128x512xf32>
  }
  func.func private @closed_call(%arg0: tensor<128x512xf32>, %arg1: tensor<128x512xf32>) -> tensor<128x512xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<128x512xf32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<128x512xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %4 = stablehlo.maximum %3, %2 : tensor<128xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %7 = stablehlo.subtract %1, %6 : tensor<128x512xf32>
    %8 = stablehlo.exponential %7 : tensor<128x512xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<128x512xf32>, tensor<f32>) -> tensor<128xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<128xf32>) -> tensor<128x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x512xf32>
    %12 = stablehlo.divide %8, %11 : tensor<128x512xf32>
    %13 = stablehlo.add %12, %arg0 : tensor<128x512xf32>
    return %13 : tensor<128x512xf32>
  }
}
