sdy.mesh @m = <["x"=2, "y"=12], device_ids=[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]>
func.func @main(%arg0: tensor<24x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y":(2)2, ?}p1, {}], replicated={"x"}, unreduced=max{"y":(1)2, "y":(4)3}>}) -> tensor<24x8xf32> {
  %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"y":(2)2 = operand-0 -> [operand-1, result-0]}]}, {step-3 = [{"x" = result-0 -> [operand-1]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=24, j=8} need_replication={i} permutation={j} blocked_propagation={i, j}, custom>} : tensor<24x8xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<mesh<["x"=2]>, [{}, {"x"}]> : tensor<24x8xf32>
  return %1 : tensor<24x8xf32>
}
