// Rows that devices gather of the caller's arrays are multiplied where they lie, an entry of a batch whose rows are of two devices among them.
// tolerance: 1e-4
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<256x320xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<320x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %c: tensor<60x300xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %d: tensor<3x300x64xf32>) -> (tensor<256x192xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<3x20x64xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x320xf32>, tensor<320x192xf32>) -> tensor<256x192xf32>
  %entries = stablehlo.reshape %c : (tensor<60x300xf32>) -> tensor<3x20x300xf32>
  %1 = stablehlo.dot_general %entries, %d, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x20x300xf32>, tensor<3x300x64xf32>) -> tensor<3x20x64xf32>
  return %0, %1 : tensor<256x192xf32>, tensor<3x20x64xf32>
}
