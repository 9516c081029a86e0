// Data-flow edges in a program as it is given.
sdy.mesh @cube = <["r"=2, "s"=2, "t"=2]>
func.func @main(%x: tensor<12x20xf32>) -> tensor<12x20xf32> {
  %m = sdy.manual_computation(%x) in_shardings=[<@cube, [{"s", ?}, {?}]>] out_shardings=[<@cube, [{"s", ?}, {?}]>] manual_axes={"s"} (%t: tensor<6x20xf32>) {
    %e = sdy.data_flow_edge %t sharding=<@cube, [{?}, {?}]> : tensor<6x20xf32>
    %n = stablehlo.tanh %e : tensor<6x20xf32>
    sdy.return %n : tensor<6x20xf32>
  } : (tensor<12x20xf32>) -> tensor<12x20xf32>
  %o = sdy.data_flow_edge %m sharding=<@cube, [{?}, {"t", ?}]> : tensor<12x20xf32>
  return %o : tensor<12x20xf32>
}
