// RUN: not --shardc-import-shardings -split-input-file
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[9]}"}) { return }
// -----
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) { return }
// -----
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) { return }
// -----
func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]} x"}) { return }
// -----
func.func @main(%arg0: tensor<6xf32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"}, %arg1: tensor<6xf32> {mhlo.sharding = "{devices=[3,2]<=[6] last_tile_dim_replicate}"}) { return }
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.slice %arg0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// -----
func.func @main(%arg0: tensor<8xf32>,
                %arg1: tensor<8xf32> {mhlo.sharding = "{mesh['x'=2], [{'y'}]}"}) { return }
// -----
func.func @main() -> (tensor<8xf32>, tensor<8xf32> {mhlo.sharding = "{manual, replicated}"}) {
  %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
// ---- expect
gspmd_errors.mlir:2:17: error: 'func.func' op attribute mhlo.sharding of argument 0: the iota has another number of devices than the tiles
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[9]}"}) { return }
                  ^
gspmd_errors.mlir:4:17: error: 'func.func' op attribute mhlo.sharding of argument 0: has another rank than the tensor
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) { return }
                  ^
gspmd_errors.mlir:6:78: error: 'func.func' op attribute mhlo.sharding of argument 1: has another number of devices than others
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) { return }
                                                                               ^
gspmd_errors.mlir:8:17: error: 'func.func' op attribute mhlo.sharding of argument 0: unexpected text behind the sharding
  func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]} x"}) { return }
                  ^
gspmd_errors.mlir:10:104: error: 'func.func' op attribute mhlo.sharding of argument 1: does not fit one mesh of devices with the shardings before it
  ...c.func @main(%arg0: tensor<6xf32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"}, %arg1: tensor<6xf32> {mhlo.sharding = "{devices=[3,2]<=[6] l...
                                                                                                         ^
gspmd_errors.mlir:15:5: error: 'func.return' op uses a local value outside of any manual computation: the manual computation cannot be told from the rest
      return %0 : tensor<4xf32>
      ^
gspmd_errors.mlir:21:10: error: 'stablehlo.slice' op uses a value of the whole program: the manual computation cannot be told from the rest
      %0 = stablehlo.slice %arg0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
           ^
gspmd_errors.mlir:28:17: error: 'func.func' op attribute mhlo.sharding of argument 1: names an axis that the mesh does not have
                  %arg1: tensor<8xf32> {mhlo.sharding = "{mesh['x'=2], [{'y'}]}"}) { return }
                  ^
gspmd_errors.mlir:30:1: error: 'func.func' op attribute mhlo.sharding of result 1: unexpected text in a sharding
  func.func @main() -> (tensor<8xf32>, tensor<8xf32> {mhlo.sharding = "{manual, replicated}"}) {
  ^
