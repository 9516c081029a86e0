// tolerance: 0
// A stack whose places are counted in i8: they wrap around beyond 127, so that slices stay as they were.
func.func @main(%x: tensor<4xf32>) -> tensor<200x4xf32> {
  %first = stablehlo.constant dense<-100> : tensor<i8>
  %end = stablehlo.constant dense<100> : tensor<i8>
  %one = stablehlo.constant dense<1> : tensor<i8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %given = stablehlo.constant dense<3.0> : tensor<200x4xf32>
  %0:2 = stablehlo.while(%i = %first, %s = %given) : tensor<i8>, tensor<200x4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %at = stablehlo.add %i, %end : tensor<i8>
    %u = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
    %t = stablehlo.dynamic_update_slice %s, %u, %at, %zero : (tensor<200x4xf32>, tensor<1x4xf32>, tensor<i8>, tensor<i8>) -> tensor<200x4xf32>
    %next = stablehlo.add %i, %one : tensor<i8>
    stablehlo.return %next, %t : tensor<i8>, tensor<200x4xf32>
  }
  return %0#1 : tensor<200x4xf32>
}
