// RUN: --shardc-import-sources
// Loops and branches on indices.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %p = arith.cmpi ult, %i, %c1 : index
    %n = scf.if %p -> (tensor<4xf32>) {
      %d = arith.addf %a, %a : tensor<4xf32>
      scf.yield %d : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %c_1 = stablehlo.constant dense<5> : tensor<i64>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i64>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.bitcast_convert %iterArg : (tensor<i64>) -> tensor<ui64>
      %2 = stablehlo.bitcast_convert %c_0 : (tensor<i64>) -> tensor<ui64>
      %3 = stablehlo.compare LT, %1, %2, UNSIGNED : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      %4 = "stablehlo.if"(%3) ({
        %6 = stablehlo.add %iterArg_2, %iterArg_2 : tensor<4xf32>
        stablehlo.return %6 : tensor<4xf32>
      }, {
        stablehlo.return %iterArg_2 : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %5 = stablehlo.add %iterArg, %c_0 : tensor<i64>
      stablehlo.return %5, %4 : tensor<i64>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
