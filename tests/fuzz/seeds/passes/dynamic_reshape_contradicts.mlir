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
  %z1 = stablehlo.constant dense<0> : tensor<1xi32>
  %0:2 = stablehlo.while(%i = %i0, %s = %sum) : tensor<i32>, tensor<?xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
%z23197 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i1 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %start = stablehlo.concatenate %i1, %z1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %limit = stablehlo.add %start, %sizes : tensor<2xi32>
    %row = stablehlo.real_dynamic_slice %x, %start, %limit, %sizes : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
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
