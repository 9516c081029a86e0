// RUN: --stablehlo-refine-shapes --symbol-dce
func.func @main(%a: tensor<6x4xf32>, %key: tensor<2xui64>) -> (tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xui32>, tensor<?x?xf32>) {
  %x = tensor.cast %a : tensor<6x4xf32> to tensor<?x?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %ok = stablehlo.compare GE, %n, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = "expected {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %k = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<?x?xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %shape = stablehlo.concatenate %n1, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%key, %shape) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x?xui32>)
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %pad = stablehlo.constant dense<[[5, 0], [0, 0]]> : tensor<2x2xi32>
  %2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %shape, %ones, %ones, %ones, %pad) {called_computations = [@sum]} : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %0#0, %0#1, %1#1, %2 : tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xui32>, tensor<?x?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<6x4xf32>, %arg1: tensor<2xui64>) -> (tensor<6x3xf32>, tensor<6x3xi32>, tensor<6x1xui32>, tensor<6x4xf32>) {
    %c = stablehlo.constant dense<6> : tensor<i32>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<6x4xf32> -> (tensor<6x3xf32>, tensor<6x3xi32>)
    %c_2 = stablehlo.constant dense<6> : tensor<1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_4 = stablehlo.constant dense<1> : tensor<2xi32>
    %c_5 = stablehlo.constant dense<[6, 1]> : tensor<2xi32>
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6x1xui32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_6 = stablehlo.constant dense<[[5, 0], [0, 0]]> : tensor<2x2xi32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[5, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 6, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    return %values, %indices, %output, %0 : tensor<6x3xf32>, tensor<6x3xi32>, tensor<6x1xui32>, tensor<6x4xf32>
  }
}
