// A zero keeps its sign when devices add what they have of a slice.
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<40xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %c: tensor<40xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %i: tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<3xi32>) {
  %z = stablehlo.constant dense<-0.0> : tensor<40xf32>
  %n = stablehlo.abs %a : tensor<40xf32>
  %m = stablehlo.minimum %n, %z : tensor<40xf32>
  %b = sdy.sharding_constraint %m <@mesh, [{"x"}]> : tensor<40xf32>
  %0 = stablehlo.dynamic_slice %b, %i, sizes = [3] : (tensor<40xf32>, tensor<i32>) -> tensor<3xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3xi32>
  %k = stablehlo.constant dense<[3, 18, 33]> : tensor<3xi32>
  %2 = "stablehlo.gather"(%b, %k) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<40xf32>, tensor<3xi32>) -> tensor<3xf32>
  %3 = stablehlo.bitcast_convert %2 : (tensor<3xf32>) -> tensor<3xi32>
  %l = stablehlo.constant dense<[8, 35]> : tensor<2xi32>
  %4 = "stablehlo.gather"(%b, %l) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}> : (tensor<40xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %5 = stablehlo.bitcast_convert %4 : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %r = stablehlo.real %c : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  %q = stablehlo.complex %r, %b : tensor<40xcomplex<f32>>
  %6 = stablehlo.dynamic_slice %q, %i, sizes = [3] : (tensor<40xcomplex<f32>>, tensor<i32>) -> tensor<3xcomplex<f32>>
  %7 = stablehlo.imag %6 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %8 = stablehlo.bitcast_convert %7 : (tensor<3xf32>) -> tensor<3xi32>
  return %1, %3, %5, %8 : tensor<3xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<3xi32>
}
