// is a function.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}, %arg1: tensor<4x4xf32>) -> (tensor<8xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
    %2 = stablehlo.custom_call @Sharding(%arg1) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %1, %cst : tensor<2xf32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"} : (tensor<2xf32>) -> tensor<2xf32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<8xf32>
    %7 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %8 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<2x4xf32>
    %9 = call @body(%7, %8) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %10 = stablehlo.custom_call @SPMDShardToFullShape(%9) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %11 = stablehlo.add %6, %6 : tensor<8xf32>
    return %11, %10 : tensor<8xf32>, tensor<4x4xf32>
  }
  func.func private @body(%arg0: tensor<2x4xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<2x4xf32>
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.add %0, %cst : tensor<2x4xf32>
    %2 = stablehlo.add %1, %arg1 : tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
}
