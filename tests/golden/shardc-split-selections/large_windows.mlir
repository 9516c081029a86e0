// RUN: --shardc-split-selections
// Windows of nine places, each beside the last one: first the number of each window's selected element. Windows of three, of which an element is in two, stay.
func.func @main(%x: tensor<100xf32>, %u: tensor<100xf32>, %v: tensor<49xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %u, %z) <{padding = dense<[[4, 4]]> : tensor<1x2xi64>, window_dimensions = array<i64: 9>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<100xf32>, tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  %1 = "stablehlo.select_and_scatter"(%x, %v, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<100xf32>, tensor<49xf32>, tensor<f32>) -> tensor<100xf32>
  return %0, %1 : tensor<100xf32>, tensor<100xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<100xf32>, %arg1: tensor<100xf32>, %arg2: tensor<49xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.iota dim = 0 : tensor<100xi32>
    %1 = stablehlo.reshape %0 : (tensor<100xi32>) -> tensor<100xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_1 = stablehlo.constant dense<-1> : tensor<i32>
    %2:2 = "stablehlo.reduce_window"(%arg0, %1, %cst_0, %c_1) <{padding = dense<4> : tensor<1x2xi64>, window_dimensions = array<i64: 9>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<f32>, %arg6: tensor<i32>):
      %52 = stablehlo.compare GE, %arg3, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %53 = stablehlo.compare GE, %arg4, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %54 = stablehlo.compare LT, %arg6, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %55 = stablehlo.or %54, %52 : tensor<i1>
      %56 = stablehlo.and %53, %55 : tensor<i1>
      %57 = stablehlo.select %56, %arg3, %arg5 : tensor<i1>, tensor<f32>
      %58 = stablehlo.select %56, %arg4, %arg6 : tensor<i1>, tensor<i32>
      stablehlo.return %57, %58 : tensor<f32>, tensor<i32>
    }) : (tensor<100xf32>, tensor<100xi32>, tensor<f32>, tensor<i32>) -> (tensor<100xf32>, tensor<100xi32>)
    %3 = stablehlo.pad %2#1, %c, low = [4], high = [4], interior = [0] : (tensor<100xi32>, tensor<i32>) -> tensor<108xi32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.pad %arg1, %cst_2, low = [4], high = [4], interior = [0] : (tensor<100xf32>, tensor<f32>) -> tensor<108xf32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %6 = stablehlo.slice %3 [0:100] : (tensor<108xi32>) -> tensor<100xi32>
    %7 = stablehlo.compare EQ, %6, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %8 = stablehlo.slice %4 [0:100] : (tensor<108xf32>) -> tensor<100xf32>
    %9 = stablehlo.add %5, %8 : tensor<100xf32>
    %10 = stablehlo.select %7, %9, %5 : tensor<100xi1>, tensor<100xf32>
    %11 = stablehlo.slice %3 [1:101] : (tensor<108xi32>) -> tensor<100xi32>
    %12 = stablehlo.compare EQ, %11, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %13 = stablehlo.slice %4 [1:101] : (tensor<108xf32>) -> tensor<100xf32>
    %14 = stablehlo.add %10, %13 : tensor<100xf32>
    %15 = stablehlo.select %12, %14, %10 : tensor<100xi1>, tensor<100xf32>
    %16 = stablehlo.slice %3 [2:102] : (tensor<108xi32>) -> tensor<100xi32>
    %17 = stablehlo.compare EQ, %16, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %18 = stablehlo.slice %4 [2:102] : (tensor<108xf32>) -> tensor<100xf32>
    %19 = stablehlo.add %15, %18 : tensor<100xf32>
    %20 = stablehlo.select %17, %19, %15 : tensor<100xi1>, tensor<100xf32>
    %21 = stablehlo.slice %3 [3:103] : (tensor<108xi32>) -> tensor<100xi32>
    %22 = stablehlo.compare EQ, %21, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %23 = stablehlo.slice %4 [3:103] : (tensor<108xf32>) -> tensor<100xf32>
    %24 = stablehlo.add %20, %23 : tensor<100xf32>
    %25 = stablehlo.select %22, %24, %20 : tensor<100xi1>, tensor<100xf32>
    %26 = stablehlo.slice %3 [4:104] : (tensor<108xi32>) -> tensor<100xi32>
    %27 = stablehlo.compare EQ, %26, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %28 = stablehlo.slice %4 [4:104] : (tensor<108xf32>) -> tensor<100xf32>
    %29 = stablehlo.add %25, %28 : tensor<100xf32>
    %30 = stablehlo.select %27, %29, %25 : tensor<100xi1>, tensor<100xf32>
    %31 = stablehlo.slice %3 [5:105] : (tensor<108xi32>) -> tensor<100xi32>
    %32 = stablehlo.compare EQ, %31, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %33 = stablehlo.slice %4 [5:105] : (tensor<108xf32>) -> tensor<100xf32>
    %34 = stablehlo.add %30, %33 : tensor<100xf32>
    %35 = stablehlo.select %32, %34, %30 : tensor<100xi1>, tensor<100xf32>
    %36 = stablehlo.slice %3 [6:106] : (tensor<108xi32>) -> tensor<100xi32>
    %37 = stablehlo.compare EQ, %36, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %38 = stablehlo.slice %4 [6:106] : (tensor<108xf32>) -> tensor<100xf32>
    %39 = stablehlo.add %35, %38 : tensor<100xf32>
    %40 = stablehlo.select %37, %39, %35 : tensor<100xi1>, tensor<100xf32>
    %41 = stablehlo.slice %3 [7:107] : (tensor<108xi32>) -> tensor<100xi32>
    %42 = stablehlo.compare EQ, %41, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %43 = stablehlo.slice %4 [7:107] : (tensor<108xf32>) -> tensor<100xf32>
    %44 = stablehlo.add %40, %43 : tensor<100xf32>
    %45 = stablehlo.select %42, %44, %40 : tensor<100xi1>, tensor<100xf32>
    %46 = stablehlo.slice %3 [8:108] : (tensor<108xi32>) -> tensor<100xi32>
    %47 = stablehlo.compare EQ, %46, %1, SIGNED : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
    %48 = stablehlo.slice %4 [8:108] : (tensor<108xf32>) -> tensor<100xf32>
    %49 = stablehlo.add %45, %48 : tensor<100xf32>
    %50 = stablehlo.select %47, %49, %45 : tensor<100xi1>, tensor<100xf32>
    %51 = "stablehlo.select_and_scatter"(%arg0, %arg2, %cst) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %52 = stablehlo.compare GE, %arg3, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %52 : tensor<i1>
    }, {
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %52 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %52 : tensor<f32>
    }) : (tensor<100xf32>, tensor<49xf32>, tensor<f32>) -> tensor<100xf32>
    return %50, %51 : tensor<100xf32>, tensor<100xf32>
  }
}
