// RUN: shardc --print-after=schedule
// A pass over rows that makes the next array of a loop and folds it writes where it reads: no row reads another one.
func.func @main(%a: tensor<24x512xf32>) -> (tensor<24x512xf32>, tensor<24xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zero_f = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<24xf32>
  %0:3 = stablehlo.while(%i = %zero, %x = %a, %s = %none) : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %s_b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<24xf32>) -> tensor<24x512xf32>
    %y = stablehlo.add %x, %s_b : tensor<24x512xf32>
    %squares = stablehlo.multiply %y, %y : tensor<24x512xf32>
    %sum = stablehlo.reduce(%squares init: %zero_f) applies stablehlo.add across dimensions = [1] : (tensor<24x512xf32>, tensor<f32>) -> tensor<24xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y, %sum : tensor<i32>, tensor<24x512xf32>, tensor<24xf32>
  }
  return %0#1, %0#2 : tensor<24x512xf32>, tensor<24xf32>
}
// ---- expect
// after schedule
// 1 devices
b3:i32 = loop reshape()  // kernel 0, grid 1
    b3[] = 0
    loops
result0[24,512]f32 = loop reshape(arg0[24,512]f32)  // kernel 1, grid 12
    parallel i0:24
      parallel i1:512
        result0[i0, i1] = arg0[i0, i1]
    loops 0*1:12288 lanes
result1[24]f32 = loop reshape()  // kernel 2, grid 1
    parallel i0:24
      result1[i0] = 0
    loops 0:24 lanes
while {
    b6:i1 = loop compare(b3:i32)  // kernel 3, grid 1
        b6[] = (b3[] < 3)
        loops
} test b6:i1 do {
    b7[24]f32, result0[24,512]f32 = reduce add+multiply+reduce(result0[24,512]f32 in place, result1[24]f32)  // kernel 4, grid 1
        parallel i0:24
          pass i3:512
            x0 = (result0[i0, i3] + result1[i0])
            fold f0 = add of (x0 * x0) from 0
            result0[i0, i3] = x0
            loops 0:512 lanes
          b7[i0] = f0
        loops 0:24
    b3:i32 = loop add(b3:i32 in place)  // kernel 5, grid 1
        b3[] = (b3[] + 1)
        loops
    result1[24]f32 = loop reshape(b7[24]f32)  // kernel 6, grid 1
        parallel i0:24
          result1[i0] = b7[i0]
        loops 0:24 lanes
}
