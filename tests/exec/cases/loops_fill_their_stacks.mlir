// tolerance: 0.00001
// Loops that fill a stack slice by slice, forwards and backwards, ones that leave slices as they were, and one in another: temporaries of a
// step do not lie in the stack's memory, and what is not written keeps its value.
func.func @main(%x: tensor<64x64xf32>, %wide: tensor<64x1024xf32>, %given: tensor<5x64x64xf32>) -> (tensor<5x64x64xf32>, tensor<5x64x64xf32>, tensor<5x64x64xf32>, tensor<5x64x64xf32>, tensor<3x5x64x64xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %count3 = stablehlo.constant dense<3> : tensor<i32>
  %count5 = stablehlo.constant dense<5> : tensor<i32>
  %scale = stablehlo.constant dense<0.0001> : tensor<64x64xf32>
  %empty = stablehlo.constant dense<0.0> : tensor<5x64x64xf32>
  %a:3 = stablehlo.while(%i = %zero, %y = %x, %s = %empty) : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %q = stablehlo.dot_general %p, %wide, contracting_dims = [1] x [1] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x64xf32>
    %v = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %h0 = stablehlo.multiply %v, %scale : tensor<64x64xf32>
    %o = stablehlo.sine %h0 : tensor<64x64xf32>
    %r = stablehlo.add %o, %x : tensor<64x64xf32>
    %at = stablehlo.add %i, %zero : tensor<i32>
    %u = stablehlo.reshape %r : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero, %zero : (tensor<5x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x64x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %t : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  }
  %b:3 = stablehlo.while(%i = %zero, %y = %a#1, %s = %empty) : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %q = stablehlo.dot_general %p, %wide, contracting_dims = [1] x [1] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x64xf32>
    %v = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %h0 = stablehlo.multiply %v, %scale : tensor<64x64xf32>
    %o = stablehlo.sine %h0 : tensor<64x64xf32>
    %r = stablehlo.add %o, %x : tensor<64x64xf32>
    %behind = stablehlo.subtract %count5, %i : tensor<i32>
    %at = stablehlo.subtract %behind, %one : tensor<i32>
    %u = stablehlo.reshape %r : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero, %zero : (tensor<5x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x64x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %t : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  }
  %c:3 = stablehlo.while(%i = %zero, %y = %b#1, %s = %given) : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %q = stablehlo.dot_general %p, %wide, contracting_dims = [1] x [1] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x64xf32>
    %v = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %h0 = stablehlo.multiply %v, %scale : tensor<64x64xf32>
    %o = stablehlo.sine %h0 : tensor<64x64xf32>
    %r = stablehlo.add %o, %x : tensor<64x64xf32>
    %at = stablehlo.add %i, %zero : tensor<i32>
    %u = stablehlo.reshape %r : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero, %zero : (tensor<5x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x64x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %t : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  }
  %d:3 = stablehlo.while(%i = %zero, %y = %c#1, %s = %given) : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %q = stablehlo.dot_general %p, %wide, contracting_dims = [1] x [1] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x64xf32>
    %v = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %h0 = stablehlo.multiply %v, %scale : tensor<64x64xf32>
    %o = stablehlo.sine %h0 : tensor<64x64xf32>
    %r = stablehlo.add %o, %x : tensor<64x64xf32>
    %at = stablehlo.multiply %i, %i : tensor<i32>
    %u = stablehlo.reshape %r : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero, %zero : (tensor<5x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x64x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %t : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  }
  %all = stablehlo.constant dense<0.0> : tensor<3x5x64x64xf32>
  %e:3 = stablehlo.while(%k = %zero, %z = %d#1, %stacks = %all) : tensor<i32>, tensor<64x64xf32>, tensor<3x5x64x64xf32>
  cond {
    %more = stablehlo.compare LT, %k, %count3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
  %f:3 = stablehlo.while(%i = %zero, %y = %z, %s = %empty) : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %count5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %y, %wide, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %q = stablehlo.dot_general %p, %wide, contracting_dims = [1] x [1] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x64xf32>
    %v = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %h0 = stablehlo.multiply %v, %scale : tensor<64x64xf32>
    %o = stablehlo.sine %h0 : tensor<64x64xf32>
    %r = stablehlo.add %o, %x : tensor<64x64xf32>
    %at = stablehlo.add %i, %zero : tensor<i32>
    %u = stablehlo.reshape %r : (tensor<64x64xf32>) -> tensor<1x64x64xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero, %zero : (tensor<5x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x64x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r, %t : tensor<i32>, tensor<64x64xf32>, tensor<5x64x64xf32>
  }
    %g = stablehlo.negate %f#2 : tensor<5x64x64xf32>
    %h = stablehlo.reshape %g : (tensor<5x64x64xf32>) -> tensor<1x5x64x64xf32>
    %j = stablehlo.dynamic_update_slice %stacks, %h, %k, %zero, %zero, %zero : (tensor<3x5x64x64xf32>, tensor<1x5x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x5x64x64xf32>
    %next = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %next, %f#1, %j : tensor<i32>, tensor<64x64xf32>, tensor<3x5x64x64xf32>
  }
  %m = stablehlo.add %a#2, %b#2 : tensor<5x64x64xf32>
  return %m, %b#2, %c#2, %d#2, %e#2 : tensor<5x64x64xf32>, tensor<5x64x64xf32>, tensor<5x64x64xf32>, tensor<5x64x64xf32>, tensor<3x5x64x64xf32>
}
