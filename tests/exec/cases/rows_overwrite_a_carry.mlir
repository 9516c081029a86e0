// Loops whose pass over rows makes the next array and sums of it: the first may write where it reads, the second reads the row before, too, the third a row of the whole array, the fourth its own row
// again after it is stored.
// tolerance: 1e-5
func.func @main(%a: tensor<24x512xf32>) -> (tensor<24x512xf32>, tensor<24xf32>, tensor<24x512xf32>, tensor<24xf32>, tensor<24x512xf32>, tensor<24xf32>, tensor<24x512xf32>, tensor<24xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zero_f = stablehlo.constant dense<0.0> : tensor<f32>
  %thousandth = stablehlo.constant dense<0.001> : tensor<24xf32>
  %none = stablehlo.constant dense<0.0> : tensor<24xf32>
  %half = stablehlo.constant dense<0.5> : tensor<24x512xf32>
  %1:3 = stablehlo.while(%i = %zero, %x = %a, %s = %none) : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s_b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<24xf32>) -> tensor<24x512xf32>
    %x_half = stablehlo.multiply %x, %half : tensor<24x512xf32>
    %y = stablehlo.add %x_half, %s_b : tensor<24x512xf32>
    %squares = stablehlo.multiply %y, %y : tensor<24x512xf32>
    %sum = stablehlo.reduce(%squares init: %zero_f) applies stablehlo.add across dimensions = [1] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24xf32>
    %small = stablehlo.multiply %sum, %thousandth : tensor<24xf32>
    %next = stablehlo.tanh %small : tensor<24xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %next : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  }
  %2:3 = stablehlo.while(%i = %zero, %x = %a, %s = %none) : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %above = stablehlo.pad %x, %zero_f, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24x512xf32>
    %x_half = stablehlo.multiply %x, %half : tensor<24x512xf32>
    %y = stablehlo.add %x_half, %above : tensor<24x512xf32>
    %squares = stablehlo.multiply %y, %y : tensor<24x512xf32>
    %sum = stablehlo.reduce(%squares init: %zero_f) applies stablehlo.add across dimensions = [1] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24xf32>
    %small = stablehlo.multiply %sum, %thousandth : tensor<24xf32>
    %next = stablehlo.tanh %small : tensor<24xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %next : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  }
  %3:3 = stablehlo.while(%i = %zero, %x = %a, %s = %none) : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 512] : (tensor<24x512xf32>, tensor<i32>, tensor<i32>) -> tensor<1x512xf32>
    %rows = stablehlo.broadcast_in_dim %row, dims = [0, 1] : (tensor<1x512xf32>) -> tensor<24x512xf32>
    %x_half = stablehlo.multiply %x, %half : tensor<24x512xf32>
    %y = stablehlo.add %x_half, %rows : tensor<24x512xf32>
    %squares = stablehlo.multiply %y, %y : tensor<24x512xf32>
    %sum = stablehlo.reduce(%squares init: %zero_f) applies stablehlo.add across dimensions = [1] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24xf32>
    %small = stablehlo.multiply %sum, %thousandth : tensor<24xf32>
    %next = stablehlo.tanh %small : tensor<24xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %next : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  }
  %4:3 = stablehlo.while(%i = %zero, %x = %a, %s = %none) : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %most = stablehlo.reduce(%x init: %zero_f) applies stablehlo.maximum across dimensions = [1] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24xf32>
    %most_b = stablehlo.broadcast_in_dim %most, dims = [0] : (tensor<24xf32>) -> tensor<24x512xf32>
    %y = stablehlo.subtract %x, %most_b : tensor<24x512xf32>
    %z = stablehlo.multiply %x, %y : tensor<24x512xf32>
    %sum = stablehlo.reduce(%z init: %zero_f) applies stablehlo.add across dimensions = [1] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24xf32>
    %small = stablehlo.multiply %sum, %thousandth : tensor<24xf32>
    %next = stablehlo.tanh %small : tensor<24xf32>
    %sum_b = stablehlo.broadcast_in_dim %next, dims = [0] : (tensor<24xf32>) -> tensor<24x512xf32>
    %x_half = stablehlo.multiply %x, %half : tensor<24x512xf32>
    %w = stablehlo.add %x_half, %sum_b : tensor<24x512xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w, %next : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  }
  return %1#1, %1#2, %2#1, %2#2, %3#1, %3#2, %4#1, %4#2 : tensor<24x512xf32>, tensor<24xf32>, tensor<24x512xf32>, tensor<24xf32>, tensor<24x512xf32>, tensor<24xf32>, tensor<24x512xf32>, tensor<24xf32>
}
