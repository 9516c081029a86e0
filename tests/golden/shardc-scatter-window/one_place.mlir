// RUN: --shardc-scatter-window
// One place: the slice there is overwritten, if the window lies inside. Places of narrow types hold the bounds of long
// dimensions once converted. Several places stay a scatter.
func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<1xi32>, %arg2: tensor<4xf32>, %arg3: tensor<2xi64>, %arg4: tensor<f32>, %arg5: tensor<ui8>, %arg6: tensor<3x2xf32>, %arg7: tensor<2x1xi32>, %arg8: tensor<2x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = "stablehlo.scatter"(%arg0, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<8x4xf32>
  %2 = "stablehlo.scatter"(%arg0, %arg5, %arg6) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<ui8>, tensor<3x2xf32>) -> tensor<8x4xf32>
  %3 = "stablehlo.scatter"(%arg0, %arg7, %arg8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  return %0, %1, %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<1xi32>, %arg2: tensor<4xf32>, %arg3: tensor<2xi64>, %arg4: tensor<f32>, %arg5: tensor<ui8>, %arg6: tensor<3x2xf32>, %arg7: tensor<2x1xi32>, %arg8: tensor<2x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.reshape %arg1 : (tensor<1xi32>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.compare LE, %0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.and %1, %2 : tensor<i1>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.reshape %arg2 : (tensor<4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.dynamic_slice %arg0, %0, %c_1, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %6 = stablehlo.select %3, %4, %5 : tensor<i1>, tensor<1x4xf32>
    %7 = stablehlo.dynamic_update_slice %arg0, %6, %0, %c_1 : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %8 = stablehlo.slice %arg3 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
    %9 = stablehlo.reshape %8 : (tensor<1xi64>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<3> : tensor<i64>
    %10 = stablehlo.compare GE, %9, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %11 = stablehlo.compare LE, %9, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %12 = stablehlo.and %10, %11 : tensor<i1>
    %13 = stablehlo.slice %arg3 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
    %14 = stablehlo.reshape %13 : (tensor<1xi64>) -> tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %c_5 = stablehlo.constant dense<7> : tensor<i64>
    %15 = stablehlo.compare GE, %14, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %16 = stablehlo.compare LE, %14, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %17 = stablehlo.and %15, %16 : tensor<i1>
    %18 = stablehlo.and %12, %17 : tensor<i1>
    %19 = stablehlo.reshape %arg4 : (tensor<f32>) -> tensor<1x1xf32>
    %20 = stablehlo.dynamic_slice %arg0, %14, %9, sizes = [1, 1] : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x1xf32>
    %21 = stablehlo.subtract %19, %20 : tensor<1x1xf32>
    %22 = stablehlo.select %18, %21, %20 : tensor<i1>, tensor<1x1xf32>
    %23 = stablehlo.dynamic_update_slice %arg0, %22, %14, %9 : (tensor<8x4xf32>, tensor<1x1xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
    %24 = stablehlo.reshape %arg5 : (tensor<ui8>) -> tensor<1xui8>
    %25 = stablehlo.reshape %24 : (tensor<1xui8>) -> tensor<ui8>
    %26 = stablehlo.convert %25 : (tensor<ui8>) -> tensor<ui32>
    %c_6 = stablehlo.constant dense<0> : tensor<ui32>
    %c_7 = stablehlo.constant dense<2> : tensor<ui32>
    %27 = stablehlo.compare GE, %26, %c_6, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %28 = stablehlo.compare LE, %26, %c_7, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %29 = stablehlo.and %27, %28 : tensor<i1>
    %c_8 = stablehlo.constant dense<0> : tensor<ui32>
    %30 = stablehlo.reshape %arg6 : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %31 = stablehlo.dynamic_slice %arg0, %c_8, %26, sizes = [3, 2] : (tensor<8x4xf32>, tensor<ui32>, tensor<ui32>) -> tensor<3x2xf32>
    %32 = stablehlo.add %31, %30 : tensor<3x2xf32>
    %33 = stablehlo.select %29, %32, %31 : tensor<i1>, tensor<3x2xf32>
    %34 = stablehlo.dynamic_update_slice %arg0, %33, %c_8, %26 : (tensor<8x4xf32>, tensor<3x2xf32>, tensor<ui32>, tensor<ui32>) -> tensor<8x4xf32>
    %35 = "stablehlo.scatter"(%arg0, %arg7, %arg8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      stablehlo.return %arg10 : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<8x4xf32>
    return %7, %23, %34, %35 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}
