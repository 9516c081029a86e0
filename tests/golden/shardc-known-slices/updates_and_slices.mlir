// RUN: --shardc-known-slices
// At a known place a part of a sharded dimension is a slice, or a padded update that is selected; a number that the index has of pieces is known, too. A small part is updated in place. One element along the dimension, and places that are computed, stay as they are.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %u: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %v: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %w: tensor<1x4xf32>, %i: tensor<i32>, %y: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %z: tensor<2x4xf32>) -> (tensor<32x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %a = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.constant dense<2> : tensor<1xi32>
  %ab = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %one, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %1 = "stablehlo.scatter"(%x, %ab, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.subtract %q, %p : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<2xi32>, tensor<6xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dynamic_slice %x, %nine, %zero, sizes = [6, 4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
  %3 = stablehlo.dynamic_update_slice %x, %w, %one, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %4 = stablehlo.dynamic_update_slice %x, %u, %i, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %5 = "stablehlo.scatter"(%y, %b, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<32x4xf32>, tensor<1xi32>, tensor<2x4xf32>) -> tensor<32x4xf32>
  return %5, %0, %1, %2, %3, %4 : tensor<32x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg3: tensor<1x4xf32>, %arg4: tensor<i32>, %arg5: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg6: tensor<2x4xf32>) -> (tensor<32x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_2 = stablehlo.constant dense<2> : tensor<1xi32>
    %1 = stablehlo.concatenate %0, %c_2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg1, %cst, low = [1, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %3 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi64>
    %c_3 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<1> : tensor<8x4xi64>
    %4 = stablehlo.compare GE, %3, %c_3, SIGNED {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xi64>, tensor<8x4xi64>) -> tensor<8x4xi1>
    %c_4 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<7> : tensor<8x4xi64>
    %5 = stablehlo.compare LT, %3, %c_4, SIGNED {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xi64>, tensor<8x4xi64>) -> tensor<8x4xi1>
    %6 = stablehlo.and %4, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi1>
    %7 = stablehlo.select %6, %2, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi1>, tensor<8x4xf32>
    %8 = stablehlo.reshape %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.pad %8, %cst_5, low = [1, 2], high = [1, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %10 = stablehlo.subtract %9, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
    %11 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi64>
    %c_6 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<1> : tensor<8x4xi64>
    %12 = stablehlo.compare GE, %11, %c_6, SIGNED {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xi64>, tensor<8x4xi64>) -> tensor<8x4xi1>
    %c_7 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<7> : tensor<8x4xi64>
    %13 = stablehlo.compare LT, %11, %c_7, SIGNED {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xi64>, tensor<8x4xi64>) -> tensor<8x4xi1>
    %14 = stablehlo.and %12, %13 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi1>
    %15 = stablehlo.iota dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi64>
    %c_8 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<2> : tensor<8x4xi64>
    %16 = stablehlo.compare GE, %15, %c_8, SIGNED {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xi64>, tensor<8x4xi64>) -> tensor<8x4xi1>
    %17 = stablehlo.and %14, %16 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi1>
    %c_9 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<3> : tensor<8x4xi64>
    %18 = stablehlo.compare LT, %15, %c_9, SIGNED {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xi64>, tensor<8x4xi64>) -> tensor<8x4xi1>
    %19 = stablehlo.and %17, %18 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi1>
    %20 = stablehlo.select %19, %10, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xi1>, tensor<8x4xf32>
    %21 = stablehlo.slice %arg0 [2:8, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>) -> tensor<6x4xf32>
    %22 = stablehlo.dynamic_update_slice %arg0, %arg3, %c_0, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %23 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg4, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %c_10 = stablehlo.constant dense<2> : tensor<i64>
    %c_11 = stablehlo.constant dense<0> : tensor<i64>
    %24 = stablehlo.dynamic_slice %arg5, %c_10, %c_11, sizes = [2, 4] : (tensor<32x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
    %25 = stablehlo.add %24, %arg6 : tensor<2x4xf32>
    %26 = stablehlo.dynamic_update_slice %arg5, %25, %c_10, %c_11 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<32x4xf32>, tensor<2x4xf32>, tensor<i64>, tensor<i64>) -> tensor<32x4xf32>
    return %26, %7, %20, %21, %22, %23 : tensor<32x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}
