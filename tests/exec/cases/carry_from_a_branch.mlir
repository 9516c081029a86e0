// A carry that a branch keeps in some rounds, and replaces in others by what is computed before the branch and read behind it.
func.func @main(%z: tensor<3xf32>, %g: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%i = %c, %l = %z, %r = %z, %p = %z) : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %go = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %odd = stablehlo.remainder %i, %two : tensor<i32>
    %is_odd = stablehlo.compare EQ, %odd, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %side = stablehlo.select %is_odd, %r, %l : tensor<i1>, tensor<3xf32>
    %new = stablehlo.add %side, %g : tensor<3xf32>
    %which = stablehlo.convert %is_odd : (tensor<i1>) -> tensor<i32>
    %1:2 = "stablehlo.case"(%which) ({
      stablehlo.return %new, %r : tensor<3xf32>, tensor<3xf32>
    }, {
      stablehlo.return %l, %new : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>)
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%new init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %high = stablehlo.constant dense<100.0> : tensor<f32>
    %is_high = stablehlo.compare GT, %sum, %high, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %takes = stablehlo.convert %is_high : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%takes) ({
      stablehlo.return %p : tensor<3xf32>
    }, {
      stablehlo.return %new : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %1#0, %1#1, %2 : tensor<i32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
