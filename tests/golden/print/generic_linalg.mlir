// RUN: --shardc-import-sources
// Ops of MLIR's source dialects as its generic form prints them.
#maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x6xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<4x6xi1>), sym_name = "main"}> ({
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>):
    %zero = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %e = "tensor.empty"() : () -> tensor<4x6xf32>
    %f = "linalg.fill"(%zero, %e) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%x: f32, %y: f32):
      "linalg.yield"(%x) : (f32) -> ()
    }) : (f32, tensor<4x6xf32>) -> tensor<4x6xf32>
    %m = "linalg.matmul"(%a, %b, %f) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = "arith.mulf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %s = "arith.addf"(%z, %p) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = #maps} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %te = "tensor.empty"() : () -> tensor<6x4xf32>
    %t = "linalg.transpose"(%m, %te) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%x: f32, %y: f32):
      "linalg.yield"(%x) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %re = "tensor.empty"() : () -> tensor<4xf32>
    %rf = "linalg.fill"(%zero, %re) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%x: f32, %y: f32):
      "linalg.yield"(%x) : (f32) -> ()
    }) : (f32, tensor<4xf32>) -> tensor<4xf32>
    %r = "linalg.reduce"(%m, %rf) <{dimensions = array<i64: 1>}> ({
    ^bb0(%x: f32, %y: f32):
      %s = "arith.addf"(%y, %x) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4xf32>
    %lt = "arith.cmpf"(%m, %f) <{fastmath = #arith.fastmath<none>, predicate = 4 : i64}> : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    "func.return"(%t, %r, %lt) : (tensor<6x4xf32>, tensor<4xf32>, tensor<4x6xi1>) -> ()
  }) : () -> ()
}) : () -> ()
// ---- expect
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> (tensor<6x4xf32>, tensor<4xf32>, tensor<4x6xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.compare LT, %1, %0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    return %2, %4, %5 : tensor<6x4xf32>, tensor<4xf32>, tensor<4x6xi1>
  }
}
