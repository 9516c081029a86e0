// RUN: --shardc-unroll-loops
// These stay: a long loop, one whose steps read other elements of a large array than they write, one whose condition
// is no count.
func.func @main(%arg0: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<1024xf32>
  cond {
    %5 = stablehlo.constant dense<200> : tensor<i32>
    %6 = stablehlo.compare LT, %iterArg, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %5 = stablehlo.multiply %iterArg_0, %arg0 : tensor<1024xf32>
    %6 = stablehlo.add %iterArg, %1 : tensor<i32>
    stablehlo.return %6, %5 : tensor<i32>, tensor<1024xf32>
  }
  %3:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<1024xf32>
  cond {
    %5 = stablehlo.constant dense<3> : tensor<i32>
    %6 = stablehlo.compare LT, %iterArg, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %5 = stablehlo.slice %iterArg_0 [0:512] : (tensor<1024xf32>) -> tensor<512xf32>
    %6 = stablehlo.slice %iterArg_0 [512:1024] : (tensor<1024xf32>) -> tensor<512xf32>
    %7 = stablehlo.concatenate %6, %5, dim = 0 : (tensor<512xf32>, tensor<512xf32>) -> tensor<1024xf32>
    %8 = stablehlo.add %7, %iterArg_0 : tensor<1024xf32>
    %9 = stablehlo.add %iterArg, %1 : tensor<i32>
    stablehlo.return %9, %8 : tensor<i32>, tensor<1024xf32>
  }
  %4:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<1024xf32>
  cond {
    %5 = stablehlo.constant dense<3> : tensor<i32>
    %6 = stablehlo.compare NE, %iterArg, %5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %5 = stablehlo.tanh %iterArg_0 : tensor<1024xf32>
    %6 = stablehlo.add %iterArg, %1 : tensor<i32>
    stablehlo.return %6, %5 : tensor<i32>, tensor<1024xf32>
  }
  return %2#1, %3#1, %4#1 : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<1024xf32>
    cond {
      %c_2 = stablehlo.constant dense<200> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.multiply %iterArg_1, %arg0 : tensor<1024xf32>
      %4 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<1024xf32>
    }
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<1024xf32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.slice %iterArg_1 [0:512] : (tensor<1024xf32>) -> tensor<512xf32>
      %4 = stablehlo.slice %iterArg_1 [512:1024] : (tensor<1024xf32>) -> tensor<512xf32>
      %5 = stablehlo.concatenate %4, %3, dim = 0 : (tensor<512xf32>, tensor<512xf32>) -> tensor<1024xf32>
      %6 = stablehlo.add %5, %iterArg_1 : tensor<1024xf32>
      %7 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %7, %6 : tensor<i32>, tensor<1024xf32>
    }
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<1024xf32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare NE, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.tanh %iterArg_1 : tensor<1024xf32>
      %4 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<1024xf32>
    }
    return %0#1, %1#1, %2#1 : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  }
}
