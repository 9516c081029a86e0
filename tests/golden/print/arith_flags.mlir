// RUN: --symbol-dce
// What fast-math and overflow flags allow nothing here does; they are kept. The default may be written.
func.func @main(%a: tensor<4xf32>, %i: tensor<4xi32>, %x: f32) -> tensor<4xf32> {
  %0 = arith.addf %a, %a fastmath<nnan,contract> : tensor<4xf32>
  %1 = math.exp %0 fastmath<fast> : tensor<4xf32>
  %2 = arith.addi %i, %i overflow<nsw, nuw> : tensor<4xi32>
  %3 = arith.cmpf olt, %x, %x fastmath<ninf> : f32
  %4 = "arith.mulf"(%a, %1) <{fastmath = #arith.fastmath<none>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = arith.subf %4, %1 {tag} : tensor<4xf32>
  return %5 : tensor<4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: f32) -> tensor<4xf32> {
    %0 = arith.addf %arg0, %arg0 fastmath<nnan,contract> : tensor<4xf32>
    %1 = math.exp %0 fastmath<fast> : tensor<4xf32>
    %2 = arith.addi %arg1, %arg1 overflow<nsw, nuw> : tensor<4xi32>
    %3 = arith.cmpf olt, %arg2, %arg2 fastmath<ninf> : f32
    %4 = arith.mulf %arg0, %1 fastmath<none> : tensor<4xf32>
    %5 = arith.subf %4, %1 {tag} : tensor<4xf32>
    return %5 : tensor<4xf32>
  }
}
