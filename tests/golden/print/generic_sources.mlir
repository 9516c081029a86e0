// RUN: --mlir-print-op-generic
// Predicates are numbers and lists of axes MLIR's attribute in the generic form.
shard.grid @g(shape = 2x4)
func.func @main(%x: tensor<8x8xf32>, %i: i32) -> (tensor<8x8xf32>, i1, i1) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %y = shard.shard %x to %s : tensor<8x8xf32>
  %z = shard.update_halo %y on @g split_axes = [[0, 1]] halo_sizes = [0, 1] : tensor<8x8xf32>
  %a = arith.cmpi ugt, %i, %i : i32
  %c = arith.constant 1.0 : f32
  %b = arith.cmpf une, %c, %c : f32
  return %z, %a, %b : tensor<8x8xf32>, i1, i1
}
// ---- expect
"builtin.module"() ({
  "shard.grid"() <{shape = array<i64: 2, 4>, sym_name = "g"}> : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32>, i32) -> (tensor<8x8xf32>, i1, i1), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: i32):
    %0 = "shard.sharding"() <{grid = @g, split_axes = #shard<axisarray[[0], [1]]>}> : () -> !shard.sharding
    %1 = "shard.shard"(%arg0, %0) : (tensor<8x8xf32>, !shard.sharding) -> tensor<8x8xf32>
    %2 = "shard.update_halo"(%1) <{grid = @g, split_axes = #shard<axisarray[[0, 1]]>, static_halo_sizes = array<i64: 0, 1>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = "arith.cmpi"(%arg1, %arg1) <{predicate = 8 : i64}> : (i32, i32) -> i1
    %4 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %5 = "arith.cmpf"(%4, %4) <{predicate = 13 : i64}> : (f32, f32) -> i1
    "func.return"(%2, %3, %5) : (tensor<8x8xf32>, i1, i1) -> ()
  }) : () -> ()
}) : () -> ()
