// RUN: --sdy-convert-global-to-local --stablehlo-aggressive-simplification --cse
// Every device keeps its columns: the diagonal blocks are factored one after the other on all devices, and rows of blocks are gathered.
sdy.mesh @mesh = <["x"=3]>
func.func @main(%arg0: tensor<384x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<384x384xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.cholesky %arg0, lower = false {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<384x384xf32>
  return %0 : tensor<384x384xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%arg0: tensor<384x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<384x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.slice %arg0 [0:128, 0:128] : (tensor<384x128xf32>) -> tensor<128x128xf32>
    %1 = "stablehlo.collective_broadcast"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %3 = stablehlo.cholesky %2, lower = true : tensor<128x128xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %5 = stablehlo.partition_id : tensor<ui32>
    %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 1, 2]> : tensor<3xi64>
    %7 = stablehlo.dynamic_slice %c, %6, sizes = [1] : (tensor<3xi64>, tensor<i64>) -> tensor<1xi64>
    %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %9 = "stablehlo.triangular_solve"(%3, %0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %10 = "stablehlo.all_gather"(%9) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, use_global_device_ids}> : (tensor<128x128xf32>) -> tensor<128x384xf32>
    %11 = stablehlo.slice %10 [0:128, 128:384] : (tensor<128x384xf32>) -> tensor<128x256xf32>
    %12 = stablehlo.slice %arg0 [128:384, 0:128] : (tensor<384x128xf32>) -> tensor<256x128xf32>
    %13 = stablehlo.dot_general %11, %9, contracting_dims = [0] x [0] : (tensor<128x256xf32>, tensor<128x128xf32>) -> tensor<256x128xf32>
    %14 = stablehlo.subtract %12, %13 : tensor<256x128xf32>
    %15 = stablehlo.compare GT, %8, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %16 = stablehlo.select %15, %9, %4 : tensor<i1>, tensor<128x128xf32>
    %17 = stablehlo.slice %14 [0:128, 0:128] : (tensor<256x128xf32>) -> tensor<128x128xf32>
    %18 = "stablehlo.collective_broadcast"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[1, 2, 0]]> : tensor<1x3xi64>}> : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %20 = stablehlo.cholesky %19, lower = true : tensor<128x128xf32>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %c_1 = stablehlo.constant dense<[-1, 0, 1]> : tensor<3xi64>
    %22 = stablehlo.dynamic_slice %c_1, %6, sizes = [1] : (tensor<3xi64>, tensor<i64>) -> tensor<1xi64>
    %23 = stablehlo.reshape %22 : (tensor<1xi64>) -> tensor<i64>
    %24 = "stablehlo.triangular_solve"(%20, %17) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %25 = "stablehlo.all_gather"(%24) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, use_global_device_ids}> : (tensor<128x128xf32>) -> tensor<128x384xf32>
    %26 = stablehlo.slice %25 [0:128, 256:384] : (tensor<128x384xf32>) -> tensor<128x128xf32>
    %27 = stablehlo.slice %14 [128:256, 0:128] : (tensor<256x128xf32>) -> tensor<128x128xf32>
    %28 = stablehlo.dot_general %26, %24, contracting_dims = [0] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %29 = stablehlo.subtract %27, %28 : tensor<128x128xf32>
    %30 = stablehlo.compare GT, %23, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %31 = stablehlo.select %30, %24, %21 : tensor<i1>, tensor<128x128xf32>
    %32 = stablehlo.compare LT, %23, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<128x128xf32>
    %33 = stablehlo.select %32, %cst, %31 : tensor<i1>, tensor<128x128xf32>
    %34 = "stablehlo.collective_broadcast"(%29) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>}> : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %36 = stablehlo.cholesky %35, lower = true : tensor<128x128xf32>
    %37 = stablehlo.transpose %36, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %c_2 = stablehlo.constant dense<[-2, -1, 0]> : tensor<3xi64>
    %38 = stablehlo.dynamic_slice %c_2, %6, sizes = [1] : (tensor<3xi64>, tensor<i64>) -> tensor<1xi64>
    %39 = stablehlo.reshape %38 : (tensor<1xi64>) -> tensor<i64>
    %40 = stablehlo.compare LT, %39, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %41 = stablehlo.select %40, %cst, %37 : tensor<i1>, tensor<128x128xf32>
    %42 = stablehlo.concatenate %16, %33, %41, dim = 0 : (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<384x128xf32>
    return %42 : tensor<384x128xf32>
  }
}
