// Products with few rows that devices make together: rows of all devices with weights that they hold alike, columns of all with the same rows, in a loop over layers, of several types, of rows in two dimensions, and of none.
// tolerance: 1e-2
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%few: tensor<24x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<512x768xf32>, %both: tensor<8x3x512xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}, %wb: tensor<512x1024xbf16>, %vector: tensor<512xf32>, %v: tensor<512x328xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %layers: tensor<3x256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "y"}]>}, %y: tensor<2x256xf32>, %i: tensor<8x1024xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %wi: tensor<1024x1024xi8>) -> (tensor<24x768xf32>, tensor<8x3x1024xbf16>, tensor<328xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<2x256xf32>, tensor<8x1024xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.dot_general %few, %w, contracting_dims = [1] x [0] : (tensor<24x512xf32>, tensor<512x768xf32>) -> tensor<24x768xf32>
    %1 = stablehlo.dot_general %both, %wb, contracting_dims = [2] x [0] : (tensor<8x3x512xbf16>, tensor<512x1024xbf16>) -> tensor<8x3x1024xbf16>
    %2 = stablehlo.dot_general %vector, %v, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x328xf32>) -> tensor<328xf32>
    %3:2 = stablehlo.while(%k = %c, %z = %y) : tensor<i32>, tensor<2x256xf32>
    cond {
      %5 = stablehlo.compare LT, %k, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = stablehlo.dynamic_slice %layers, %k, %c, %c, sizes = [1, 256, 256] : (tensor<3x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
      %7 = stablehlo.dot_general %z, %6, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x256xf32>) -> tensor<2x256xf32>
      %8 = stablehlo.tanh %7 : tensor<2x256xf32>
      %9 = stablehlo.add %k, %c_0 : tensor<i32>
      stablehlo.return %9, %8 : tensor<i32>, tensor<2x256xf32>
    }
    %4 = stablehlo.dot_general %i, %wi, contracting_dims = [1] x [0] : (tensor<8x1024xi8>, tensor<1024x1024xi8>) -> tensor<8x1024xi32>
    return %0, %1, %2, %3#1, %4 : tensor<24x768xf32>, tensor<8x3x1024xbf16>, tensor<328xf32>, tensor<2x256xf32>, tensor<8x1024xi32>
  }
}
