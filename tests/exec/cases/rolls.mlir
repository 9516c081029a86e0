// Elements moved around an array along sharded dimensions: by less than a tile, by more, by whole tiles, along both dimensions, of what is computed
// before, of narrow types, and where tiles are padded.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<32x40xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg2: tensor<16x30xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<32x40xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, tensor<16x30xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = stablehlo.slice %arg0 [0:16, 61:64] : (tensor<16x64xf32>) -> tensor<16x3xf32>
    %1 = stablehlo.slice %arg0 [0:16, 0:61] : (tensor<16x64xf32>) -> tensor<16x61xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<16x3xf32>, tensor<16x61xf32>) -> tensor<16x64xf32>
    %3 = stablehlo.slice %arg0 [0:16, 20:64] : (tensor<16x64xf32>) -> tensor<16x44xf32>
    %4 = stablehlo.slice %arg0 [0:16, 0:20] : (tensor<16x64xf32>) -> tensor<16x20xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<16x44xf32>, tensor<16x20xf32>) -> tensor<16x64xf32>
    %6 = stablehlo.slice %2 [11:16, 0:64] : (tensor<16x64xf32>) -> tensor<5x64xf32>
    %7 = stablehlo.slice %2 [0:11, 0:64] : (tensor<16x64xf32>) -> tensor<11x64xf32>
    %8 = stablehlo.concatenate %6, %7, dim = 0 : (tensor<5x64xf32>, tensor<11x64xf32>) -> tensor<16x64xf32>
    %9 = stablehlo.add %arg0, %5 : tensor<16x64xf32>
    %10 = stablehlo.slice %9 [0:16, 32:64] : (tensor<16x64xf32>) -> tensor<16x32xf32>
    %11 = stablehlo.slice %9 [0:16, 0:32] : (tensor<16x64xf32>) -> tensor<16x32xf32>
    %12 = stablehlo.concatenate %10, %11, dim = 1 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x64xf32>
    %13 = stablehlo.slice %arg1 [25:32, 0:40] : (tensor<32x40xi8>) -> tensor<7x40xi8>
    %14 = stablehlo.slice %arg1 [0:25, 0:40] : (tensor<32x40xi8>) -> tensor<25x40xi8>
    %15 = stablehlo.concatenate %13, %14, dim = 0 : (tensor<7x40xi8>, tensor<25x40xi8>) -> tensor<32x40xi8>
    %16 = stablehlo.slice %arg2 [0:16, 29:30] : (tensor<16x30xf32>) -> tensor<16x1xf32>
    %17 = stablehlo.slice %arg2 [0:16, 0:29] : (tensor<16x30xf32>) -> tensor<16x29xf32>
    %18 = stablehlo.concatenate %16, %17, dim = 1 : (tensor<16x1xf32>, tensor<16x29xf32>) -> tensor<16x30xf32>
    return %2, %5, %8, %12, %15, %18 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<32x40xi8>, tensor<16x30xf32>
  }
}
