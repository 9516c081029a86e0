// Elementwise kernels that devices make together: rows of the caller's arrays, several results, broadcasts, narrow types, tiles in the middle.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg2: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg3: tensor<f32>, %arg4: tensor<8x12x16x10xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}, %arg5: tensor<24x2048xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}, %arg6: tensor<6x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<8x12x16x10xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}, tensor<24x2048xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}, tensor<6x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<16x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<64xf32>) -> tensor<16x64xf32>
    %2 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %3 = stablehlo.add %0, %1 : tensor<16x64xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<16x64xf32>
    %5 = stablehlo.subtract %4, %arg0 : tensor<16x64xf32>
    %6 = stablehlo.add %arg4, %arg4 : tensor<8x12x16x10xbf16>
    %7 = stablehlo.negate %arg5 : tensor<24x2048xi8>
    %8 = stablehlo.abs %arg6 : tensor<6x64xf32>
    %9 = stablehlo.iota dim = 0 : tensor<16x64xi32>
    %10 = stablehlo.iota dim = 1 : tensor<16x64xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<16x64xi32>
    %12 = stablehlo.add %11, %10 : tensor<16x64xi32>
    return %4, %5, %6, %7, %8, %12 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<8x12x16x10xbf16>, tensor<24x2048xi8>, tensor<6x64xf32>, tensor<16x64xi32>
  }
}
