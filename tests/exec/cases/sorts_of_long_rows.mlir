// Rows that are sorted in runs, and a shorter run that remains: by keys that are often equal, and by a comparator of two operands.
func.func @main(%a: tensor<400003xi32>, %b: tensor<393217xi8>, %c: tensor<393217xf32>) -> (tensor<400003xi32>, tensor<400003xi32>, tensor<393217xi8>, tensor<393217xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<400003xi32>
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
    %less = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<400003xi32>, tensor<400003xi32>) -> (tensor<400003xi32>, tensor<400003xi32>)
  %1:2 = "stablehlo.sort"(%b, %c) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>, %p: tensor<f32>, %q: tensor<f32>):
    %less = stablehlo.compare LT, %x, %y : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %x, %y : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %then = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %both = stablehlo.and %equal, %then : tensor<i1>
    %first = stablehlo.or %less, %both : tensor<i1>
    stablehlo.return %first : tensor<i1>
  }) : (tensor<393217xi8>, tensor<393217xf32>) -> (tensor<393217xi8>, tensor<393217xf32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<400003xi32>, tensor<400003xi32>, tensor<393217xi8>, tensor<393217xf32>
}
