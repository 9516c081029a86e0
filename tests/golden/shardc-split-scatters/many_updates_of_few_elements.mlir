// RUN: --shardc-split-scatters
// Many updates of few elements are combined in parts. Few updates, and large ones, which lanes cut
// themselves, stay together; so do updates whose order counts.
func.func @main(%counts: tensor<256xf32>, %at: tensor<65536x1xi32>, %ones: tensor<65536xf32>, %table: tensor<3x100xi32>, %places: tensor<1x40x1000xi32>, %rows: tensor<40x3x1000xi32>, %wide: tensor<100x64xf32>, %few: tensor<1000x1xi32>, %of_few: tensor<1000xf32>, %of_wide: tensor<65536x64xf32>) -> (tensor<256xf32>, tensor<3x100xi32>, tensor<256xf32>, tensor<256xf32>, tensor<100x64xf32>) {
  %0 = "stablehlo.scatter"(%counts, %at, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<256xf32>, tensor<65536x1xi32>, tensor<65536xf32>) -> tensor<256xf32>
  %1 = "stablehlo.scatter"(%table, %places, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %b, %a : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x100xi32>, tensor<1x40x1000xi32>, tensor<40x3x1000xi32>) -> tensor<3x100xi32>
  %2 = "stablehlo.scatter"(%counts, %at, %ones) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<256xf32>, tensor<65536x1xi32>, tensor<65536xf32>) -> tensor<256xf32>
  %3 = "stablehlo.scatter"(%counts, %few, %of_few) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<256xf32>, tensor<1000x1xi32>, tensor<1000xf32>) -> tensor<256xf32>
  %4 = "stablehlo.scatter"(%wide, %at, %of_wide) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x64xf32>, tensor<65536x1xi32>, tensor<65536x64xf32>) -> tensor<100x64xf32>
  return %0, %1, %2, %3, %4 : tensor<256xf32>, tensor<3x100xi32>, tensor<256xf32>, tensor<256xf32>, tensor<100x64xf32>
}
// ---- expect
module {
  func.func @main(%arg0: tensor<256xf32>, %arg1: tensor<65536x1xi32>, %arg2: tensor<65536xf32>, %arg3: tensor<3x100xi32>, %arg4: tensor<1x40x1000xi32>, %arg5: tensor<40x3x1000xi32>, %arg6: tensor<100x64xf32>, %arg7: tensor<1000x1xi32>, %arg8: tensor<1000xf32>, %arg9: tensor<65536x64xf32>) -> (tensor<256xf32>, tensor<3x100xi32>, tensor<256xf32>, tensor<256xf32>, tensor<100x64xf32>) {
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x256xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<65536x1xi32>) -> tensor<16x4096x1xi32>
    %2 = stablehlo.reshape %arg2 : (tensor<65536xf32>) -> tensor<16x4096xf32>
    %3 = "stablehlo.scatter"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %15 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<16x256xf32>, tensor<16x4096x1xi32>, tensor<16x4096xf32>) -> tensor<16x256xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16x256xf32>, tensor<f32>) -> tensor<256xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<256xf32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<10x3x100xi32>
    %7 = stablehlo.reshape %arg4 : (tensor<1x40x1000xi32>) -> tensor<1x40x10x100xi32>
    %8 = stablehlo.reshape %arg5 : (tensor<40x3x1000xi32>) -> tensor<40x3x10x100xi32>
    %9 = "stablehlo.scatter"(%6, %7, %8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [2]>}> ({
    ^bb0(%arg10: tensor<i32>, %arg11: tensor<i32>):
      %15 = stablehlo.maximum %arg10, %arg11 : tensor<i32>
      stablehlo.return %15 : tensor<i32>
    }) : (tensor<10x3x100xi32>, tensor<1x40x10x100xi32>, tensor<40x3x10x100xi32>) -> tensor<10x3x100xi32>
    %c_1 = stablehlo.constant dense<-2147483648> : tensor<i32>
    %10 = stablehlo.reduce(%9 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<10x3x100xi32>, tensor<i32>) -> tensor<3x100xi32>
    %11 = stablehlo.maximum %arg3, %10 : tensor<3x100xi32>
    %12 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      stablehlo.return %arg11 : tensor<f32>
    }) : (tensor<256xf32>, tensor<65536x1xi32>, tensor<65536xf32>) -> tensor<256xf32>
    %13 = "stablehlo.scatter"(%arg0, %arg7, %arg8) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %15 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<256xf32>, tensor<1000x1xi32>, tensor<1000xf32>) -> tensor<256xf32>
    %14 = "stablehlo.scatter"(%arg6, %arg1, %arg9) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %15 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<100x64xf32>, tensor<65536x1xi32>, tensor<65536x64xf32>) -> tensor<100x64xf32>
    return %5, %11, %12, %13, %14 : tensor<256xf32>, tensor<3x100xi32>, tensor<256xf32>, tensor<256xf32>, tensor<100x64xf32>
  }
}
