// RUN: --shardc-split-sorts
// Runs of a row are sorted first, as rows of their own; where no number of them divides the row, a shorter run remains. Short rows stay whole; that they consist of sorted runs is not believed.
func.func @main(%a: tensor<2x524288xf32>, %b: tensor<393217xi32>, %c: tensor<262144x2xf32>) -> (tensor<2x524288xf32>, tensor<393217xi32>, tensor<262144x2xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x524288xf32>) -> tensor<2x524288xf32>
  %1 = "stablehlo.sort"(%b) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<393217xi32>) -> tensor<393217xi32>
  %2 = "stablehlo.sort"(%c) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {shardc.sorted_runs = 4 : i64} : (tensor<262144x2xf32>) -> tensor<262144x2xf32>
  return %0, %1, %2 : tensor<2x524288xf32>, tensor<393217xi32>, tensor<262144x2xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<2x524288xf32>, %arg1: tensor<393217xi32>, %arg2: tensor<262144x2xf32>) -> (tensor<2x524288xf32>, tensor<393217xi32>, tensor<262144x2xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<2x524288xf32>) -> tensor<2x4x131072xf32>
    %1 = "stablehlo.sort"(%0) <{dimension = 2 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %13 = stablehlo.compare LT, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<2x4x131072xf32>) -> tensor<2x4x131072xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x4x131072xf32>) -> tensor<2x524288xf32>
    %3 = "stablehlo.sort"(%2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %13 = stablehlo.compare LT, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) {shardc.sorted_runs = 131072 : i64} : (tensor<2x524288xf32>) -> tensor<2x524288xf32>
    %4 = stablehlo.slice %arg1 [0:393216] : (tensor<393217xi32>) -> tensor<393216xi32>
    %5 = stablehlo.reshape %4 : (tensor<393216xi32>) -> tensor<3x131072xi32>
    %6 = "stablehlo.sort"(%5) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %13 = stablehlo.compare GT, %arg3, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<3x131072xi32>) -> tensor<3x131072xi32>
    %7 = stablehlo.slice %arg1 [393216:393217] : (tensor<393217xi32>) -> tensor<1xi32>
    %8 = "stablehlo.sort"(%7) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %13 = stablehlo.compare GT, %arg3, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<1xi32>) -> tensor<1xi32>
    %9 = stablehlo.reshape %6 : (tensor<3x131072xi32>) -> tensor<393216xi32>
    %10 = stablehlo.concatenate %9, %8, dim = 0 : (tensor<393216xi32>, tensor<1xi32>) -> tensor<393217xi32>
    %11 = "stablehlo.sort"(%10) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %13 = stablehlo.compare GT, %arg3, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) {shardc.sorted_runs = 131072 : i64} : (tensor<393217xi32>) -> tensor<393217xi32>
    %12 = "stablehlo.sort"(%arg2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %13 = stablehlo.compare LT, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<262144x2xf32>) -> tensor<262144x2xf32>
    return %3, %11, %12 : tensor<2x524288xf32>, tensor<393217xi32>, tensor<262144x2xf32>
  }
}
