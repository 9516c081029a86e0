// RUN: --sdy-convert-global-to-local --stablehlo-aggressive-simplification --cse
// Tiles are sorted and gathered, samples of them bound what a device needs, and that is sorted once more.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare LT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8192xf32>) -> tensor<8192xf32>
  return %0 : tensor<8192xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<2048xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %72 = stablehlo.compare LT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %72 : tensor<i1>
    }) : (tensor<2048xf32>) -> tensor<2048xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2048xf32>) -> tensor<8192xf32>
    %2 = stablehlo.reshape %1 : (tensor<8192xf32>) -> tensor<4x2048xf32>
    %3 = stablehlo.slice %2 [0:4, 31:2048:32] : (tensor<4x2048xf32>) -> tensor<4x64xf32>
    %4 = stablehlo.reshape %3 : (tensor<4x64xf32>) -> tensor<256xf32>
    %5 = stablehlo.iota dim = 0 : tensor<8192xi64>
    %6 = stablehlo.reshape %5 : (tensor<8192xi64>) -> tensor<4x2048xi64>
    %7 = stablehlo.slice %6 [0:4, 31:2048:32] : (tensor<4x2048xi64>) -> tensor<4x64xi64>
    %8 = stablehlo.reshape %7 : (tensor<4x64xi64>) -> tensor<256xi64>
    %9:2 = "stablehlo.sort"(%4, %8) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %72 = stablehlo.compare LT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %72 : tensor<i1>
    }) : (tensor<256xf32>, tensor<256xi64>) -> (tensor<256xf32>, tensor<256xi64>)
    %10 = stablehlo.partition_id : tensor<ui32>
    %11 = stablehlo.convert %10 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[-124, 1924, 3972, 6020]> : tensor<4xi64>
    %12 = stablehlo.dynamic_slice %c, %11, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %13 = stablehlo.reshape %12 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %14 = stablehlo.maximum %13, %c_0 : tensor<i64>
    %c_1 = stablehlo.constant dense<32> : tensor<i64>
    %15 = stablehlo.divide %14, %c_1 : tensor<i64>
    %c_2 = stablehlo.constant dense<[2048, 4096, 6144, 8192]> : tensor<4xi64>
    %16 = stablehlo.dynamic_slice %c_2, %11, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %17 = stablehlo.reshape %16 : (tensor<1xi64>) -> tensor<i64>
    %18 = stablehlo.divide %17, %c_1 : tensor<i64>
    %c_3 = stablehlo.constant dense<2048> : tensor<256xi64>
    %19 = stablehlo.divide %9#1, %c_3 : tensor<256xi64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<256xi64>) -> tensor<4x256xi64>
    %21 = stablehlo.iota dim = 0 : tensor<4x256xi64>
    %22 = stablehlo.compare EQ, %20, %21, SIGNED : (tensor<4x256xi64>, tensor<4x256xi64>) -> tensor<4x256xi1>
    %23 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<i64>) -> tensor<4x256xi64>
    %24 = stablehlo.iota dim = 1 : tensor<4x256xi64>
    %25 = stablehlo.compare LT, %24, %23, SIGNED : (tensor<4x256xi64>, tensor<4x256xi64>) -> tensor<4x256xi1>
    %26 = stablehlo.and %22, %25 : tensor<4x256xi1>
    %27 = stablehlo.convert %26 : (tensor<4x256xi1>) -> tensor<4x256xi64>
    %28 = stablehlo.reduce(%27 init: %c_0) applies stablehlo.add across dimensions = [1] : (tensor<4x256xi64>, tensor<i64>) -> tensor<4xi64>
    %c_4 = stablehlo.constant dense<32> : tensor<4xi64>
    %29 = stablehlo.multiply %28, %c_4 : tensor<4xi64>
    %c_5 = stablehlo.constant dense<31> : tensor<4xi64>
    %30 = stablehlo.add %29, %c_5 : tensor<4xi64>
    %c_6 = stablehlo.constant dense<2048> : tensor<4xi64>
    %31 = stablehlo.minimum %30, %c_6 : tensor<4xi64>
    %32 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i64>) -> tensor<4x256xi64>
    %33 = stablehlo.compare LT, %24, %32, SIGNED : (tensor<4x256xi64>, tensor<4x256xi64>) -> tensor<4x256xi1>
    %34 = stablehlo.and %22, %33 : tensor<4x256xi1>
    %35 = stablehlo.convert %34 : (tensor<4x256xi1>) -> tensor<4x256xi64>
    %36 = stablehlo.reduce(%35 init: %c_0) applies stablehlo.add across dimensions = [1] : (tensor<4x256xi64>, tensor<i64>) -> tensor<4xi64>
    %37 = stablehlo.multiply %36, %c_4 : tensor<4xi64>
    %38 = stablehlo.multiply %15, %c_1 : tensor<i64>
    %39 = stablehlo.subtract %31, %37 : tensor<4xi64>
    %40 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %41 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %42 = stablehlo.compare LT, %41, %40, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %43 = stablehlo.broadcast_in_dim %39, dims = [1] : (tensor<4xi64>) -> tensor<4x4xi64>
    %c_7 = stablehlo.constant dense<0> : tensor<4x4xi64>
    %44 = stablehlo.select %42, %43, %c_7 : tensor<4x4xi1>, tensor<4x4xi64>
    %45 = stablehlo.reduce(%44 init: %c_0) applies stablehlo.add across dimensions = [1] : (tensor<4x4xi64>, tensor<i64>) -> tensor<4xi64>
    %c_8 = stablehlo.constant dense<255> : tensor<i64>
    %46 = stablehlo.minimum %18, %c_8 : tensor<i64>
    %47 = stablehlo.dynamic_slice %9#1, %46, sizes = [1] : (tensor<256xi64>, tensor<i64>) -> tensor<1xi64>
    %48 = stablehlo.iota dim = 0 : tensor<4xi64>
    %49 = stablehlo.multiply %48, %c_6 : tensor<4xi64>
    %50 = stablehlo.add %49, %37 : tensor<4xi64>
    %51 = stablehlo.subtract %50, %45 : tensor<4xi64>
    %52 = stablehlo.iota dim = 1 : tensor<4x2327xi64>
    %53 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<4xi64>) -> tensor<4x2327xi64>
    %54 = stablehlo.compare LT, %52, %53, SIGNED : (tensor<4x2327xi64>, tensor<4x2327xi64>) -> tensor<4x2327xi1>
    %55 = stablehlo.broadcast_in_dim %51, dims = [0] : (tensor<4xi64>) -> tensor<4x2327xi64>
    %c_9 = stablehlo.constant dense<0> : tensor<4x2327xi64>
    %56 = stablehlo.select %54, %c_9, %55 : tensor<4x2327xi1>, tensor<4x2327xi64>
    %c_10 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %57 = stablehlo.reduce(%56 init: %c_10) applies stablehlo.maximum across dimensions = [0] : (tensor<4x2327xi64>, tensor<i64>) -> tensor<2327xi64>
    %58 = stablehlo.iota dim = 0 : tensor<2327xi64>
    %59 = stablehlo.add %58, %57 : tensor<2327xi64>
    %60 = stablehlo.reduce(%39 init: %c_0) applies stablehlo.add across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
    %61 = stablehlo.reshape %60 : (tensor<i64>) -> tensor<1xi64>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<1xi64>) -> tensor<2327xi64>
    %63 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<1xi64>) -> tensor<2327xi64>
    %64 = stablehlo.compare LT, %58, %62, SIGNED : (tensor<2327xi64>, tensor<2327xi64>) -> tensor<2327xi1>
    %65 = stablehlo.select %64, %59, %63 : tensor<2327xi1>, tensor<2327xi64>
    %66 = "stablehlo.gather"(%1, %65) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<8192xf32>, tensor<2327xi64>) -> tensor<2327xf32>
    %67 = "stablehlo.sort"(%66) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %72 = stablehlo.compare LT, %arg1, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %72 : tensor<i1>
    }) : (tensor<2327xf32>) -> tensor<2327xf32>
    %c_11 = stablehlo.constant dense<[0, 2048, 4096, 6144]> : tensor<4xi64>
    %68 = stablehlo.dynamic_slice %c_11, %11, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %69 = stablehlo.reshape %68 : (tensor<1xi64>) -> tensor<i64>
    %70 = stablehlo.subtract %69, %38 : tensor<i64>
    %71 = stablehlo.dynamic_slice %67, %70, sizes = [2048] : (tensor<2327xf32>, tensor<i64>) -> tensor<2048xf32>
    return %71 : tensor<2048xf32>
  }
}
