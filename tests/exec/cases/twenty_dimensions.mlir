// More dimensions than a sharding rule has letters.
func.func @main(%arg0: tensor<2x1x1x1x1x1x1x1x1x2x1x1x1x1x1x1x1x1x1x4xf32>) -> tensor<4x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x2xf32> {
  %0 = stablehlo.transpose %arg0, dims = [19,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,0] : (tensor<2x1x1x1x1x1x1x1x1x2x1x1x1x1x1x1x1x1x1x4xf32>) -> tensor<4x1x1x1x1x1x1x1x1x2x1x1x1x1x1x1x1x1x1x2xf32>
  %1 = stablehlo.transpose %0, dims = [0,1,2,3,4,5,6,7,8,10,11,12,13,14,15,16,17,18,9,19] : (tensor<4x1x1x1x1x1x1x1x1x2x1x1x1x1x1x1x1x1x1x2xf32>) -> tensor<4x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x2xf32>
  return %1 : tensor<4x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x2xf32>
}
