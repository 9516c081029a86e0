// RUN: --shardc-own-numbers
// What follows from the device's number alone is looked up: where its part begins, and whether a row of it counts, if all of its rows agree. The numbers of its rows are computed.
module {
  func.func @main(%arg0: tensor<64x8xf32>) -> (tensor<16x8xf32>, tensor<16xi1>, tensor<16xi32>, tensor<i32>) attributes {shardc.argument_replicas = dense<[[0, 0, 0, 0]]> : tensor<1x4xi64>} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    %c16 = stablehlo.constant dense<16> : tensor<i32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.multiply %1, %c16 : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c0, sizes = [16, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %4 = stablehlo.iota dim = 0 : tensor<16xi32>
    %5 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %6 = stablehlo.add %4, %5 : tensor<16xi32>
    %c32 = stablehlo.constant dense<32> : tensor<16xi32>
    %7 = stablehlo.compare GE, %6, %c32, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %8 = stablehlo.subtract %2, %2 : tensor<i32>
    return %3, %7, %6, %8 : tensor<16x8xf32>, tensor<16xi1>, tensor<16xi32>, tensor<i32>
  }
}
// ---- expect
module {
  func.func @main(%arg0: tensor<64x8xf32>) -> (tensor<16x8xf32>, tensor<16xi1>, tensor<16xi32>, tensor<i32>) attributes {shardc.argument_replicas = dense<0> : tensor<1x4xi64>} {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<[[0], [1], [2], [3]]> : tensor<4x1xi64>
    %2 = stablehlo.dynamic_slice %c_0, %1, %c, sizes = [1, 1] : (tensor<4x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1x1xi64>) -> tensor<1xi64>
    %4 = stablehlo.convert %3 : (tensor<1xi64>) -> tensor<1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<16> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.partition_id : tensor<ui32>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %c_4 = stablehlo.constant dense<[[0], [16], [32], [48]]> : tensor<4x1xi64>
    %7 = stablehlo.dynamic_slice %c_4, %6, %c_3, sizes = [1, 1] : (tensor<4x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %8 = stablehlo.reshape %7 : (tensor<1x1xi64>) -> tensor<1xi64>
    %9 = stablehlo.convert %8 : (tensor<1xi64>) -> tensor<1xi32>
    %10 = stablehlo.reshape %9 : (tensor<1xi32>) -> tensor<i32>
    %11 = stablehlo.dynamic_slice %arg0, %10, %c_2, sizes = [16, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
    %12 = stablehlo.iota dim = 0 : tensor<16xi32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %14 = stablehlo.add %12, %13 : tensor<16xi32>
    %c_5 = stablehlo.constant dense<32> : tensor<16xi32>
    %15 = stablehlo.partition_id : tensor<ui32>
    %c_6 = stablehlo.constant dense<0> : tensor<ui32>
    %c_7 = stablehlo.constant dense<[[0], [0], [1], [1]]> : tensor<4x1xi64>
    %16 = stablehlo.dynamic_slice %c_7, %15, %c_6, sizes = [1, 1] : (tensor<4x1xi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x1xi64>
    %17 = stablehlo.reshape %16 : (tensor<1x1xi64>) -> tensor<1xi64>
    %18 = stablehlo.convert %17 : (tensor<1xi64>) -> tensor<1xi1>
    %19 = stablehlo.reshape %18 : (tensor<1xi1>) -> tensor<i1>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<i1>) -> tensor<16xi1>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    return %11, %20, %14, %c_8 : tensor<16x8xf32>, tensor<16xi1>, tensor<16xi32>, tensor<i32>
  }
}
