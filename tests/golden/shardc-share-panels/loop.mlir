// RUN: shardc --print-after=shardc-share-panels
// A loop does not change the columns that its steps multiply with: they are packed before it.
func.func @main(%x: tensor<40x256xf32>, %w: tensor<256x256xf32>) -> tensor<40x256xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count = stablehlo.constant dense<3> : tensor<i32>
  %a:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<40x256xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<40x256xf32>, tensor<256x256xf32>) -> tensor<40x256xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %p : tensor<i32>, tensor<40x256xf32>
  }
  return %a#1 : tensor<40x256xf32>
}
// ---- expect
// after shardc-share-panels
module {
  func.func @main(%arg0: tensor<40x256xf32>, %arg1: tensor<256x256xf32>) -> tensor<40x256xf32> attributes {shardc.spread_results = array<i64: 1>} {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.reshape %arg1 : (tensor<256x256xf32>) -> tensor<16x16x256x1xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] {shardc.panel_columns = 16 : i64} : (tensor<16x16x256x1xf32>) -> tensor<16x256x16x1xf32>
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<40x256xf32>
    cond {
      %3 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.reshape %iterArg_2 : (tensor<40x256xf32>) -> tensor<40x256x1xf32>
      %4 = stablehlo.dot_general %3, %1, contracting_dims = [1, 2] x [1, 3] {shardc.panel_columns = 16 : i64} : (tensor<40x256x1xf32>, tensor<16x256x16x1xf32>) -> tensor<40x16x16xf32>
      %5 = stablehlo.reshape %4 : (tensor<40x16x16xf32>) -> tensor<40x256xf32>
      %6 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %6, %5 : tensor<i32>, tensor<40x256xf32>
    }
    return %2#1 : tensor<40x256xf32>
  }
}
