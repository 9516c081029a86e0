// RUN:
// A body of one commutative op is printed short; others in full; several operands in pairs.
func.func @main(%x: tensor<4x8xf32>, %k: tensor<4x8xi32>, %z: tensor<f32>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %z) across dimensions = [1] {mark} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %2 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  %3:2 = stablehlo.reduce(%x init: %z), (%k init: %i) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>)  {
    %4 = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %4, %b : tensor<f32>, tensor<i32>
  }
  return %1 : tensor<4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%arg0 init: %arg2) across dimensions = [1] {mark} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %3 = stablehlo.add %arg5, %arg4 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }
    %2:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %3 = stablehlo.add %arg4, %arg6 : tensor<f32>
      stablehlo.return %3, %arg5 : tensor<f32>, tensor<i32>
    }
    return %1 : tensor<4xf32>
  }
}
