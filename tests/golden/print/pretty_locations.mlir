// RUN: --mlir-print-debuginfo
#loc1 = /home/a user/model.py:12:0
#loc2 = <stdin>:3:4 to :9
#loc4 = "x"
#loc5 = "forward"(#loc1)
#loc6 = #loc5
 at #loc2
#loc8 = "mul"(#loc7)
#loc9 = [#loc8, #loc2]
#loc1a = "no location"
module {
  func.func @main(%arg0: tensor<4xf32> {note = #loc1a} "x"(#loc1), %arg1: tensor<4xf32> ./b.py:1:2, %arg2: tensor<4xf32> [unknown]) -> (tensor<4xf32> {jax.result_info = "out"}) {
    %0 = stablehlo.abs %arg0 : tensor<4xf32> "aten__abs"(#loc6)
    %1 = stablehlo.multiply %0, %arg1 : tensor<4xf32> #loc5
 at #loc2
    %2 = stablehlo.add %1, %1 : tensor<4xf32> [#loc8, #loc1]
    %3 = "stablehlo.add"(%2, %arg2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> "stablehlo.abs"(%1) : (tensor<4xf32>) -> tensor<4xf32> "alone"
    %4 = stablehlo.negate %3 : tensor<4xf32> /abs/with space.py:7:8
    return %4 : tensor<4xf32> [unknown]
  } [unknown]
} [unknown]
#loc = [unknown]
#loc7 = late.py:5:6
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32> {note = "no location"} loc("x"("/home/a user/model.py":12:0)), %arg1: tensor<4xf32> loc("./b.py":1:2), %arg2: tensor<4xf32> loc(unknown)) -> (tensor<4xf32> {jax.result_info = "out"}) {
    %0 = stablehlo.abs %arg0 : tensor<4xf32> loc("aten__abs"("/home/a user/model.py":12:0))
    %1 = stablehlo.multiply %0, %arg1 : tensor<4xf32> loc("forward"("/home/a user/model.py":12:0))
    %2 = stablehlo.add %1, %1 : tensor<4xf32> loc("mul"("/home/a user/model.py":12:0))
    %3 = stablehlo.add %2, %arg2 : tensor<4xf32> loc(unknown)
    %4 = stablehlo.abs %1 : tensor<4xf32> loc("alone")
    %5 = stablehlo.negate %3 : tensor<4xf32> loc("/abs/with space.py":7:8)
    return %5 : tensor<4xf32> loc(unknown)
  } loc(unknown)
} loc(unknown)
