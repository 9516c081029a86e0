// RUN: shardc --print-after=kernels
// A loop fills the stack before anybody reads it: no kernel writes what enters.
func.func @main(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<5x16x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count5 = stablehlo.constant dense<5> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<5x16x16xf32>
  %a:3 = stablehlo.while(%i = %zero, %y = %x, %s = %empty) : tensor<i32>, tensor<16x16xf32>, tensor<5x16x16xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %q = stablehlo.dot_general %p, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %r = stablehlo.tanh %q : tensor<16x16xf32>
    %behind = stablehlo.subtract %count5, %i : tensor<i32>
    %at = stablehlo.subtract %behind, %one : tensor<i32>
    %u = stablehlo.reshape %r : (tensor<16x16xf32>) -> tensor<1x16x16xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero, %zero : (tensor<5x16x16xf32>, tensor<1x16x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x16x16xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %t : tensor<i32>, tensor<16x16xf32>, tensor<5x16x16xf32>
  }
  %b = stablehlo.negate %a#2 : tensor<5x16x16xf32>
  return %b : tensor<5x16x16xf32>
}
// ---- expect
// after kernels
// 1 devices
b3:i32 = loop reshape()  // kernel 0, grid 1
    b3[] = 0
b4[16,16]f32 = loop reshape(arg0[16,16]f32)  // kernel 1, grid 1
    parallel i0:16
      parallel i1:16
        b4[i0, i1] = arg0[i0, i1]
while {
    b7:i1 = loop compare(b3:i32)  // kernel 2, grid 1
        b7[] = (b3[] < 5)
} test b7:i1 do {
    b8[16,16]f32 = contract dot_general(b4[16,16]f32, arg1[16,16]f32)  // kernel 3, grid 1
        dot_general
    b4[16,16]f32 = contract dot_general+tanh with epilogue(b8[16,16]f32, arg1[16,16]f32)  // kernel 4, grid 1
        s0 = dot_general
        parallel i0:16
          parallel i1:16
            b4[i0, i1] = tanh(s0)
    b5[5,16,16]f32 = update subtract+dynamic_update_slice(b4[16,16]f32, b3:i32)  // kernel 5, grid 1
        r1 = ((5 - b3[]) - 1) in 0 .. 4
        parallel i1:16
          parallel i2:16
            b5[r1, i1, i2] = b4[i1, i2]
    b3:i32 = loop add(b3:i32 in place)  // kernel 6, grid 1
        b3[] = (b3[] + 1)
}
result0[5,16,16]f32 = loop negate(b5[5,16,16]f32)  // kernel 7, grid 1
    parallel i0:5
      parallel i1:16
        parallel i2:16
          result0[i0, i1, i2] = negate(b5[i0, i1, i2])
