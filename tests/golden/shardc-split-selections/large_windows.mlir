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
    %0 = stablehlo.iota dim = 1 : tensor<1x100xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x100xi32>) -> tensor<100xi32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %2:2 = "stablehlo.reduce_window"(%arg0, %1, %cst_0, %c) <{padding = dense<4> : tensor<1x2xi64>, window_dimensions = array<i64: 9>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<f32>, %arg6: tensor<i32>):
      %9 = stablehlo.compare GE, %arg3, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.compare GE, %arg4, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %11 = stablehlo.compare LT, %arg6, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %12 = stablehlo.or %11, %9 : tensor<i1>
      %13 = stablehlo.and %10, %12 : tensor<i1>
      %14 = stablehlo.select %13, %arg3, %arg5 : tensor<i1>, tensor<f32>
      %15 = stablehlo.select %13, %arg4, %arg6 : tensor<i1>, tensor<i32>
      stablehlo.return %14, %15 : tensor<f32>, tensor<i32>
    }) : (tensor<100xf32>, tensor<100xi32>, tensor<f32>, tensor<i32>) -> (tensor<100xf32>, tensor<100xi32>)
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x100xf32>
    %4 = stablehlo.reshape %2#1 : (tensor<100xi32>) -> tensor<1x100x1xi32>
    %5 = stablehlo.reshape %arg1 : (tensor<100xf32>) -> tensor<1x100xf32>
    %6 = "stablehlo.scatter"(%3, %4, %5) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<1x100xf32>, tensor<1x100x1xi32>, tensor<1x100xf32>) -> tensor<1x100xf32>
    %7 = stablehlo.reshape %6 : (tensor<1x100xf32>) -> tensor<100xf32>
    %8 = "stablehlo.select_and_scatter"(%arg0, %arg2, %cst) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = stablehlo.compare GE, %arg3, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<100xf32>, tensor<49xf32>, tensor<f32>) -> tensor<100xf32>
    return %7, %8 : tensor<100xf32>, tensor<100xf32>
  }
}
