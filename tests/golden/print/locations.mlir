// RUN: --mlir-print-debuginfo
#loc1 = loc("model.py":3:4)
module {
  func.func @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
    %0 = stablehlo.abs %arg0 : tensor<4xf32> loc(#loc2)
    return %0 : tensor<4xf32> loc(callsite(#loc1 at unknown))
  } loc(unknown)
} loc(unknown)
#loc2 = loc("jit(f)/abs"(#loc1))
// ---- expect
module {
  func.func @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
    %0 = stablehlo.abs %arg0 : tensor<4xf32> loc("jit(f)/abs"("model.py":3:4))
    return %0 : tensor<4xf32> loc("model.py":3:4)
  } loc(unknown)
} loc(unknown)
