// RUN: --shardc-place-slices
// Every second slice alone is stacked: the others stay zero, so nothing changes.
func.func @main(%cache: tensor<4x1x8x2xf32>, %other: tensor<4x8x2xf32>, %new: tensor<1x2xf32>, %at: tensor<i32>) -> (tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<2> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x1x8x2xf32>
  %more = stablehlo.constant dense<0.0> : tensor<4x8x2xf32>
  %sum = stablehlo.constant dense<0.0> : tensor<8x2xf32>
  %r:4 = stablehlo.while(%i = %zero, %stack = %zeros, %second = %more, %s = %sum) : tensor<i32>, tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
  cond {
    %less = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %slice = stablehlo.dynamic_slice %cache, %i, %zero, %zero, %zero, sizes = [1, 1, 8, 2] : (tensor<4x1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x2xf32>
    %layer = stablehlo.reshape %slice : (tensor<1x1x8x2xf32>) -> tensor<8x2xf32>
    %changed = stablehlo.dynamic_update_slice %layer, %new, %at, %zero : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %twice = stablehlo.dynamic_update_slice %changed, %new, %i, %zero : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    %next = stablehlo.add %s, %twice : tensor<8x2xf32>
    %whole = stablehlo.broadcast_in_dim %twice, dims = [2, 3] : (tensor<8x2xf32>) -> tensor<1x1x8x2xf32>
    %stacked = stablehlo.dynamic_update_slice %stack, %whole, %i, %zero, %zero, %zero : (tensor<4x1x8x2xf32>, tensor<1x1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1x8x2xf32>
    %other_slice = stablehlo.dynamic_slice %other, %at, %zero, %zero, sizes = [1, 8, 2] : (tensor<4x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x2xf32>
    %row = stablehlo.reshape %new : (tensor<1x2xf32>) -> tensor<1x1x2xf32>
    %other_changed = stablehlo.dynamic_update_slice %other_slice, %row, %zero, %at, %zero : (tensor<1x8x2xf32>, tensor<1x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x2xf32>
    %other_stacked = stablehlo.dynamic_update_slice %second, %other_changed, %i, %zero, %zero : (tensor<4x8x2xf32>, tensor<1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x2xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %stacked, %other_stacked, %next : tensor<i32>, tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x1x8x2xf32>, %arg1: tensor<4x8x2xf32>, %arg2: tensor<1x2xf32>, %arg3: tensor<i32>) -> (tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %c_1 = stablehlo.constant dense<4> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x1x8x2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<4x8x2xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<8x2xf32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_4 = %cst, %iterArg_5 = %cst_2, %iterArg_6 = %cst_3) : tensor<i32>, tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %arg0, %iterArg, %c, %c, %c, sizes = [1, 1, 8, 2] : (tensor<4x1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8x2xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x1x8x2xf32>) -> tensor<8x2xf32>
      %3 = stablehlo.dynamic_update_slice %2, %arg2, %arg3, %c : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
      %4 = stablehlo.dynamic_update_slice %3, %arg2, %iterArg, %c : (tensor<8x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
      %5 = stablehlo.add %iterArg_6, %4 : tensor<8x2xf32>
      %6 = stablehlo.broadcast_in_dim %4, dims = [2, 3] : (tensor<8x2xf32>) -> tensor<1x1x8x2xf32>
      %7 = stablehlo.dynamic_update_slice %iterArg_4, %6, %iterArg, %c, %c, %c : (tensor<4x1x8x2xf32>, tensor<1x1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x1x8x2xf32>
      %8 = stablehlo.dynamic_slice %arg1, %arg3, %c, %c, sizes = [1, 8, 2] : (tensor<4x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x2xf32>
      %9 = stablehlo.reshape %arg2 : (tensor<1x2xf32>) -> tensor<1x1x2xf32>
      %10 = stablehlo.dynamic_update_slice %8, %9, %c, %arg3, %c : (tensor<1x8x2xf32>, tensor<1x1x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x2xf32>
      %11 = stablehlo.dynamic_update_slice %iterArg_5, %10, %iterArg, %c, %c : (tensor<4x8x2xf32>, tensor<1x8x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x2xf32>
      %12 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %12, %7, %11, %5 : tensor<i32>, tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
    }
    return %0#1, %0#2, %0#3 : tensor<4x1x8x2xf32>, tensor<4x8x2xf32>, tensor<8x2xf32>
  }
}
