// An edge inside a manual computation names the axis that is manual; a loop carries what comes of it.
sdy.mesh @grid = <["u"=2, "v"=2]>
func.func @main(%x: tensor<24x10xf32>) -> (tensor<12x10xf32>, tensor<24x10xf32>) {
  %m:2 = sdy.manual_computation(%x) in_shardings=[<@grid, [{"v", ?}, {?}]>] out_shardings=[<@grid, [{?}, {?}], replicated={"v"}>, <@grid, [{"v", ?}, {"u", ?}]>] manual_axes={"v"} (%t: tensor<12x10xf32>) {
    %e = sdy.data_flow_edge %t sharding=<@grid, [{"u"}p1, {"v"}]> : tensor<12x10xf32>
    %s = stablehlo.multiply %e, %e : tensor<12x10xf32>
    %stop = stablehlo.constant dense<false> : tensor<i1>
    %l = stablehlo.while(%c = %s) : tensor<12x10xf32>
      cond {
        stablehlo.return %stop : tensor<i1>
      } do {
        stablehlo.return %c : tensor<12x10xf32>
      }
    sdy.return %l, %s : tensor<12x10xf32>, tensor<12x10xf32>
  } : (tensor<24x10xf32>) -> (tensor<12x10xf32>, tensor<24x10xf32>)
  return %m#0, %m#1 : tensor<12x10xf32>, tensor<24x10xf32>
}
