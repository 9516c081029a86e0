// A cross entropy whose rows four devices share, of columns that do not divide: masks and numbers of rows and columns are those of the device that has them.
// tolerance: 1e-4
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<256x509xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<256xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<509xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<256xf32>, tensor<256x509xbf16>, tensor<256xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<509xf32>) -> tensor<1x509xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x509xf32>) -> tensor<256x509xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<256x509xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {"y"}]> : tensor<256x509xf32>
    %4 = call @log_softmax(%3) : (tensor<256x509xf32>) -> tensor<256x509xf32>
    %5 = stablehlo.iota dim = 1 : tensor<256x509xi32>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<256xi32>) -> tensor<256x1xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<256x1xi32>) -> tensor<256x509xi32>
    %8 = stablehlo.compare EQ, %5, %7, SIGNED : (tensor<256x509xi32>, tensor<256x509xi32>) -> tensor<256x509xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = call @_where(%8, %4, %cst) : (tensor<256x509xi1>, tensor<256x509xf32>, tensor<f32>) -> tensor<256x509xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<256x509xf32>, tensor<f32>) -> tensor<256xf32>
    %11 = stablehlo.iota dim = 0 : tensor<256x509xf32>
    %12 = stablehlo.exponential %4 : tensor<256x509xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x509xf32>
    %15 = stablehlo.multiply %11, %14 : tensor<256x509xf32>
    %16 = stablehlo.add %12, %15 : tensor<256x509xf32>
    %17 = sdy.sharding_constraint %16 <@mesh, [{"x"}, {"y"}]> : tensor<256x509xf32>
    %18 = stablehlo.convert %17 : (tensor<256x509xf32>) -> tensor<256x509xbf16>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (tensor<256x509xf32>, tensor<f32>) -> tensor<256xf32>
    return %10, %18, %19 : tensor<256xf32>, tensor<256x509xbf16>, tensor<256xf32>
  }
  func.func private @log_softmax(%arg0: tensor<256x509xf32>) -> tensor<256x509xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<256x509xf32>, tensor<f32>) -> tensor<256xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<256xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x509xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<256x509xf32>
    %6 = stablehlo.exponential %5 : tensor<256x509xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<256x509xf32>, tensor<f32>) -> tensor<256xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<256xf32>) -> tensor<256x1xf32>
    %9 = stablehlo.log %8 : tensor<256x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<256x1xf32>) -> tensor<256x509xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<256x509xf32>
    return %11 : tensor<256x509xf32>
  }
  func.func private @_where(%arg0: tensor<256x509xi1>, %arg1: tensor<256x509xf32>, %arg2: tensor<f32>) -> tensor<256x509xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<256x509xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<256x509xi1>, tensor<256x509xf32>
    return %2 : tensor<256x509xf32>
  }
}
