// Devices copy parts of the rows of a long result together; a barrier stands before the loop that reads and changes it.
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %cache: tensor<1024x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
    %row: tensor<1x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>})
    -> (tensor<1024x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %some = stablehlo.constant dense<0.0> : tensor<8x128xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %cache, %m = %some) : tensor<i32>, tensor<1024x8x128xf32>, tensor<8x128xf32>
    cond {
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %new = stablehlo.dynamic_update_slice %c, %row, %i, %zero, %zero : (tensor<1024x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1024x8x128xf32>
      %max = stablehlo.reduce(%new init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<1024x8x128xf32>, tensor<f32>) -> tensor<8x128xf32>
      %sum = stablehlo.add %m, %max : tensor<8x128xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %new, %sum : tensor<i32>, tensor<1024x8x128xf32>, tensor<8x128xf32>
    }
  return %0#1, %0#2 : tensor<1024x8x128xf32>, tensor<8x128xf32>
}
