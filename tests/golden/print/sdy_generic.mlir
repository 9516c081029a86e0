// RUN: --mlir-print-op-generic --verify-roundtrip
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced=max{"y"}>}) {
  %0 = sdy.propagation_barrier %a allowed_direction=BACKWARD : tensor<4x4xf32>
  %1 = sdy.all_reduce max {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x4xf32>
  %2 = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  return
}
// ---- expect
"builtin.module"() ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced=max{"y"}>}], function_type = (tensor<4x4xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x4xf32>):
    %0 = "sdy.propagation_barrier"(%arg0) <{allowed_direction = 2 : i32}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = "sdy.all_reduce"(%arg0) <{out_sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, reduction_axes = #sdy<axis_ref_list{"y"}>, reduction_op = #sdy<reduction_op max>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = "stablehlo.constant"() <{value = dense<true> : tensor<2xi1>}> : () -> tensor<2xi1>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
