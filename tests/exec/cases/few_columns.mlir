// Transposes of arrays with few columns: one lane makes the neighbouring rows of the result, block by block.
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func public @main(%a: tensor<40001x3xf32>, %b: tensor<65000x2xi8>, %c: tensor<20000x4xcomplex<f32>>, %d: tensor<2x30003x5xbf16>, %e: tensor<40002x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %f: tensor<40002x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %g: tensor<50x70x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %h: tensor<33000x7xi1>) -> (tensor<3x40001xf32>, tensor<2x65000xi8>, tensor<4x20000xcomplex<f32>>, tensor<2x5x30003xbf16>, tensor<4x40002xf32>, tensor<6x40002xf64>, tensor<3x50x70xi32>, tensor<7x33000xi1>) {
  %at = stablehlo.transpose %a, dims = [1, 0] : (tensor<40001x3xf32>) -> tensor<3x40001xf32>
  %bt = stablehlo.transpose %b, dims = [1, 0] : (tensor<65000x2xi8>) -> tensor<2x65000xi8>
  %ct = stablehlo.transpose %c, dims = [1, 0] : (tensor<20000x4xcomplex<f32>>) -> tensor<4x20000xcomplex<f32>>
  %dt = stablehlo.transpose %d, dims = [0, 2, 1] : (tensor<2x30003x5xbf16>) -> tensor<2x5x30003xbf16>
  %et = stablehlo.transpose %e, dims = [1, 0] : (tensor<40002x4xf32>) -> tensor<4x40002xf32>
  %ft = stablehlo.transpose %f, dims = [1, 0] : (tensor<40002x6xf64>) -> tensor<6x40002xf64>
  %gt = stablehlo.transpose %g, dims = [2, 0, 1] : (tensor<50x70x3xi32>) -> tensor<3x50x70xi32>
  %ht = stablehlo.transpose %h, dims = [1, 0] : (tensor<33000x7xi1>) -> tensor<7x33000xi1>
  return %at, %bt, %ct, %dt, %et, %ft, %gt, %ht : tensor<3x40001xf32>, tensor<2x65000xi8>, tensor<4x20000xcomplex<f32>>, tensor<2x5x30003xbf16>, tensor<4x40002xf32>, tensor<6x40002xf64>, tensor<3x50x70xi32>, tensor<7x33000xi1>
}
