// RUN: --convert-shard-to-mpi
// Functions pass shardings on as tensors: of split axes, halo sizes and offsets.
shard.grid @g(shape = 2x2x4)
func.func @halos(%x: tensor<6x8xf32>, %h: i64) -> (tensor<6x8xf32>, !shard.sharding) {
  %s = shard.sharding @g split_axes = [[0, 1], [2]] halo_sizes = [0, 4, %h, 1] : !shard.sharding
  %y = shard.shard %x to %s : tensor<6x8xf32>
  %t = shard.get_sharding %y : tensor<6x8xf32> -> !shard.sharding
  return %x, %t : tensor<6x8xf32>, !shard.sharding
}
func.func @offsets() -> !shard.sharding {
  %s = shard.sharding @g split_axes = [[0, 1], [], [2]] sharded_dims_offsets = [0, 3, 5, 7, 8, 0, 0, 5, 10, 16] : !shard.sharding
  return %s : !shard.sharding
}
func.func private @declared(!shard.sharding, i32) -> !shard.sharding
func.func @passed_on(%a: i32, %s: !shard.sharding) -> (i32, !shard.sharding) {
  %0 = call @declared(%s, %a) : (!shard.sharding, i32) -> !shard.sharding
  return %a, %0 : i32, !shard.sharding
}
// ---- expect
module {
  shard.grid @g(shape = 2x2x4)
  func.func @halos(%arg0: tensor<6x8xf32>, %arg1: i64) -> (tensor<6x8xf32>, tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>) {
    %0 = arith.constant 0 : i64
    %1 = arith.constant 4 : i64
    %2 = arith.constant 1 : i64
    %3 = arith.constant -1 : i16
    %4 = tensor.empty() : tensor<2x2xi16>
    %5 = linalg.fill ins(%3 : i16) outs(%4 : tensor<2x2xi16>) -> tensor<2x2xi16>
    %c = stablehlo.constant dense<[0, 1]> : tensor<2xi16>
    %6 = tensor.insert_slice %c into %5[0, 0] [1, 2] [1, 1] : tensor<2xi16> into tensor<2x2xi16>
    %c_0 = stablehlo.constant dense<2> : tensor<1xi16>
    %7 = tensor.insert_slice %c_0 into %6[1, 0] [1, 1] [1, 1] : tensor<1xi16> into tensor<2x2xi16>
    %8 = tensor.from_elements %0, %1, %arg1, %2 : tensor<2x2xi64>
    %9 = tensor.empty() : tensor<0x0xi64>
    %cast = tensor.cast %7 : tensor<2x2xi16> to tensor<?x?xi16>
    %cast_1 = tensor.cast %8 : tensor<2x2xi64> to tensor<?x?xi64>
    %cast_2 = tensor.cast %9 : tensor<0x0xi64> to tensor<?x?xi64>
    return %arg0, %cast, %cast_1, %cast_2 : tensor<6x8xf32>, tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>
  }
  func.func @offsets() -> (tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>) {
    %0 = arith.constant -1 : i16
    %1 = arith.constant -9223372036854775808 : i64
    %2 = tensor.empty() : tensor<3x2xi16>
    %3 = linalg.fill ins(%0 : i16) outs(%2 : tensor<3x2xi16>) -> tensor<3x2xi16>
    %c = stablehlo.constant dense<[0, 1]> : tensor<2xi16>
    %4 = tensor.insert_slice %c into %3[0, 0] [1, 2] [1, 1] : tensor<2xi16> into tensor<3x2xi16>
    %c_0 = stablehlo.constant dense<2> : tensor<1xi16>
    %5 = tensor.insert_slice %c_0 into %4[2, 0] [1, 1] [1, 1] : tensor<1xi16> into tensor<3x2xi16>
    %6 = tensor.empty() : tensor<0x0xi64>
    %7 = tensor.empty() : tensor<2x5xi64>
    %8 = linalg.fill ins(%1 : i64) outs(%7 : tensor<2x5xi64>) -> tensor<2x5xi64>
    %c_1 = stablehlo.constant dense<[0, 3, 5, 7, 8]> : tensor<5xi64>
    %9 = tensor.insert_slice %c_1 into %8[0, 0] [1, 5] [1, 1] : tensor<5xi64> into tensor<2x5xi64>
    %c_2 = stablehlo.constant dense<[0, 0, 5, 10, 16]> : tensor<5xi64>
    %10 = tensor.insert_slice %c_2 into %9[1, 0] [1, 5] [1, 1] : tensor<5xi64> into tensor<2x5xi64>
    %cast = tensor.cast %5 : tensor<3x2xi16> to tensor<?x?xi16>
    %cast_3 = tensor.cast %6 : tensor<0x0xi64> to tensor<?x?xi64>
    %cast_4 = tensor.cast %10 : tensor<2x5xi64> to tensor<?x?xi64>
    return %cast, %cast_3, %cast_4 : tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>
  }
  func.func private @declared(tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>, i32) -> (tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>)
  func.func @passed_on(%arg0: i32, %arg1: tensor<?x?xi16>, %arg2: tensor<?x?xi64>, %arg3: tensor<?x?xi64>) -> (i32, tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>) {
    %0:3 = call @declared(%arg1, %arg2, %arg3, %arg0) : (tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>, i32) -> (tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>)
    return %arg0, %0#0, %0#1, %0#2 : i32, tensor<?x?xi16>, tensor<?x?xi64>, tensor<?x?xi64>
  }
}
