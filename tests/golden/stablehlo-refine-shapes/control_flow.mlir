// RUN: --stablehlo-refine-shapes
func.func @main(%a: tensor<4x2xf32>, %p: tensor<i1>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %x = tensor.cast %a : tensor<4x2xf32> to tensor<?x?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %sum = stablehlo.dynamic_broadcast_in_dim %zero, %m1, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %sizes = stablehlo.concatenate %one, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %strides = stablehlo.constant dense<1> : tensor<2xi32>
  %z1 = stablehlo.constant dense<0> : tensor<1xi32>
  %0:2 = stablehlo.while(%i = %i0, %s = %sum) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %start = stablehlo.concatenate %i1, %z1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %limit = stablehlo.add %start, %sizes : tensor<2xi32>
    %row = stablehlo.real_dynamic_slice %x, %start, %limit, %strides : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
    %r = stablehlo.dynamic_reshape %row, %m1 : (tensor<1x?xf32>, tensor<1xi32>) -> tensor<?xf32>
    %t = stablehlo.add %s, %r : tensor<?xf32>
    %one0 = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one0 : tensor<i32>
    stablehlo.return %next, %t : tensor<i32>, tensor<?xf32>
  }
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<?x?xf32>
  }, {
    %neg = stablehlo.negate %x : tensor<?x?xf32>
    stablehlo.return %neg : tensor<?x?xf32>
  }) : (tensor<i1>) -> tensor<?x?xf32>
  return %0#1, %1 : tensor<?xf32>, tensor<?x?xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<i1>) -> (tensor<2xf32>, tensor<4x2xf32>) {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<1xi32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
    %c_5 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %c_6 = stablehlo.constant dense<1> : tensor<2xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<1xi32>
    %0:2 = stablehlo.while(%iterArg = %c_2, %iterArg_8 = %cst_4) : tensor<i32>, tensor<2xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.reshape %iterArg : (tensor<i32>) -> tensor<1xi32>
      %3 = stablehlo.concatenate %2, %c_7, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %4 = stablehlo.add %3, %c_5 : tensor<2xi32>
      %5 = stablehlo.slice %3 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
      %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
      %7 = stablehlo.slice %3 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
      %8 = stablehlo.reshape %7 : (tensor<1xi32>) -> tensor<i32>
      %9 = stablehlo.dynamic_slice %arg0, %6, %8, sizes = [1, 2] : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %10 = stablehlo.reshape %9 : (tensor<1x2xf32>) -> tensor<2xf32>
      %11 = stablehlo.add %iterArg_8, %10 : tensor<2xf32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      stablehlo.return %12, %11 : tensor<i32>, tensor<2xf32>
    }
    %1 = "stablehlo.if"(%arg1) ({
      stablehlo.return %arg0 : tensor<4x2xf32>
    }, {
      %2 = stablehlo.negate %arg0 : tensor<4x2xf32>
      stablehlo.return %2 : tensor<4x2xf32>
    }) : (tensor<i1>) -> tensor<4x2xf32>
    return %0#1, %1 : tensor<2xf32>, tensor<4x2xf32>
  }
}
