// -----

sdy.mesh @mesh = #sdy.mesh<["x"=2, "y"=2]>

func.func private @foo(%arg0: tensor<8x2xi32>, %arg1: tensor<8x2xi32>) -> (tensor<8x2xi32>, tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p1], unreduced={"x"}>}) {
  %0 = stablehlo.multiply %arg0, %arg1 : tensor<8x2xi32>
  %1 = stablehlo.transpose %arg0, dims=[1, 0] : (tensor<8x2xi32>) -> tensor<2x8xi32>
  %2 = stablehlo.dot %1, %arg0 : (tensor<2x8xi32>, tensor<8x2xi32>) -> tensor<2x2xi32>
  return %0, %2 : tensor<8x2xi32>, tensor<2x2xi32>
}

