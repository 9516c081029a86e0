// Loops that overwrite slices of arrays and read other places of them: by element, by long rows (several lanes),
// shifted along the row (which must not be done in place), and of two arrays that read each other.
// tolerance: 1e-5
func.func @main(%x: tensor<300xf32>, %y: tensor<300xf32>, %r: tensor<20x9000xf32>, %s: tensor<20x9000xf32>, %p: tensor<40xi32>, %t: tensor<40x33xf32>)
    -> (tensor<300xf32>, tensor<300xf32>, tensor<20x9000xf32>, tensor<20x9000xf32>, tensor<40x33xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c19 = stablehlo.constant dense<19> : tensor<i32>
  %c299 = stablehlo.constant dense<299> : tensor<i32>
  %half1 = stablehlo.constant dense<0.5> : tensor<1xf32>
  %halfr = stablehlo.constant dense<0.5> : tensor<1x9000xf32>
  %0:3 = stablehlo.while(%i = %c1, %a = %x, %b = %y) : tensor<i32>, tensor<300xf32>, tensor<300xf32>
  cond {
    %go = stablehlo.compare LT, %i, %c299, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %before = stablehlo.subtract %i, %c1 : tensor<i32>
    %after = stablehlo.add %i, %c1 : tensor<i32>
    %a0 = stablehlo.dynamic_slice %a, %before, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %a1 = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %a2 = stablehlo.dynamic_slice %a, %after, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %b1 = stablehlo.dynamic_slice %b, %i, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %h = stablehlo.multiply %a0, %half1 : tensor<1xf32>
    %u = stablehlo.add %h, %b1 : tensor<1xf32>
    %na = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<300xf32>, tensor<1xf32>, tensor<i32>) -> tensor<300xf32>
    %b0 = stablehlo.dynamic_slice %b, %before, sizes = [1] : (tensor<300xf32>, tensor<i32>) -> tensor<1xf32>
    %v = stablehlo.subtract %a1, %b0 : tensor<1xf32>
    %w = stablehlo.add %v, %a2 : tensor<1xf32>
    %k = stablehlo.multiply %w, %half1 : tensor<1xf32>
    %nb = stablehlo.dynamic_update_slice %b, %k, %i : (tensor<300xf32>, tensor<1xf32>, tensor<i32>) -> tensor<300xf32>
    stablehlo.return %after, %na, %nb : tensor<i32>, tensor<300xf32>, tensor<300xf32>
  }
  %1:3 = stablehlo.while(%i = %c0, %a = %r, %b = %s) : tensor<i32>, tensor<20x9000xf32>, tensor<20x9000xf32>
  cond {
    %go = stablehlo.compare LT, %i, %c19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %after = stablehlo.add %i, %c1 : tensor<i32>
    %a0 = stablehlo.dynamic_slice %a, %i, %c0, sizes = [1, 9000] : (tensor<20x9000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9000xf32>
    %a1 = stablehlo.dynamic_slice %a, %after, %c0, sizes = [1, 9000] : (tensor<20x9000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9000xf32>
    %h = stablehlo.multiply %a0, %halfr : tensor<1x9000xf32>
    %u = stablehlo.add %h, %a1 : tensor<1x9000xf32>
    %na = stablehlo.dynamic_update_slice %a, %u, %after, %c0 : (tensor<20x9000xf32>, tensor<1x9000xf32>, tensor<i32>, tensor<i32>) -> tensor<20x9000xf32>
    %b0 = stablehlo.dynamic_slice %b, %after, %c0, sizes = [1, 8999] : (tensor<20x9000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8999xf32>
    %nb = stablehlo.dynamic_update_slice %b, %b0, %after, %c1 : (tensor<20x9000xf32>, tensor<1x8999xf32>, tensor<i32>, tensor<i32>) -> tensor<20x9000xf32>
    stablehlo.return %after, %na, %nb : tensor<i32>, tensor<20x9000xf32>, tensor<20x9000xf32>
  }
  %2:2 = stablehlo.while(%i = %c0, %a = %t) : tensor<i32>, tensor<40x33xf32>
  cond {
    %go = stablehlo.compare LT, %i, %c19, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %after = stablehlo.add %i, %c1 : tensor<i32>
    %one = stablehlo.dynamic_slice %p, %i, sizes = [1] : (tensor<40xi32>, tensor<i32>) -> tensor<1xi32>
    %j = stablehlo.reshape %one : (tensor<1xi32>) -> tensor<i32>
    %ri = stablehlo.dynamic_slice %a, %i, %c0, sizes = [1, 33] : (tensor<40x33xf32>, tensor<i32>, tensor<i32>) -> tensor<1x33xf32>
    %rj = stablehlo.dynamic_slice %a, %j, %c0, sizes = [1, 33] : (tensor<40x33xf32>, tensor<i32>, tensor<i32>) -> tensor<1x33xf32>
    %a1 = stablehlo.dynamic_update_slice %a, %rj, %i, %c0 : (tensor<40x33xf32>, tensor<1x33xf32>, tensor<i32>, tensor<i32>) -> tensor<40x33xf32>
    %a2 = stablehlo.dynamic_update_slice %a1, %ri, %j, %c0 : (tensor<40x33xf32>, tensor<1x33xf32>, tensor<i32>, tensor<i32>) -> tensor<40x33xf32>
    stablehlo.return %after, %a2 : tensor<i32>, tensor<40x33xf32>
  }
  return %0#1, %0#2, %1#1, %1#2, %2#1 : tensor<300xf32>, tensor<300xf32>, tensor<20x9000xf32>, tensor<20x9000xf32>, tensor<40x33xf32>
}
