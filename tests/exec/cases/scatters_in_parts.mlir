// Many updates of few elements, some of them behind equal parts: sums, a maximum of windows of three
// with the index first, a logical or, a minimum, places outside of the array, an empty array.
// tolerance: 1e-4
func.func public @main(
    %counts: tensor<6xf32>, %at: tensor<40961x1xi32>, %values: tensor<40961xf32>,
    %table: tensor<3x9xi32>, %places: tensor<1x40x1000xui8>, %rows: tensor<40x3x1000xi32>,
    %flags: tensor<8xi1>, %some: tensor<40961xi1>, %nothing: tensor<0xf32>)
    -> (tensor<6xf32>, tensor<3x9xi32>, tensor<8xi1>, tensor<5xbf16>, tensor<0xf32>) {
  %three = stablehlo.constant dense<3> : tensor<40961x1xi32>
  %moved = stablehlo.subtract %at, %three : tensor<40961x1xi32>
  %0 = "stablehlo.scatter"(%counts, %moved, %values) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<40961x1xi32>, tensor<40961xf32>) -> tensor<6xf32>
  %1 = "stablehlo.scatter"(%table, %places, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.maximum %b, %a : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x9xi32>, tensor<1x40x1000xui8>, tensor<40x3x1000xi32>) -> tensor<3x9xi32>
  %2 = "stablehlo.scatter"(%flags, %at, %some) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<8xi1>, tensor<40961x1xi32>, tensor<40961xi1>) -> tensor<8xi1>
  %none = stablehlo.constant dense<-0.0> : tensor<5xbf16>
  %far = stablehlo.constant dense<4> : tensor<40961x1xi32>
  %beyond = stablehlo.add %at, %far : tensor<40961x1xi32>
  %tiny = stablehlo.constant dense<0.001> : tensor<40961xbf16>
  %3 = "stablehlo.scatter"(%none, %beyond, %tiny) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.minimum %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<5xbf16>, tensor<40961x1xi32>, tensor<40961xbf16>) -> tensor<5xbf16>
  %4 = "stablehlo.scatter"(%nothing, %at, %values) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<0xf32>, tensor<40961x1xi32>, tensor<40961xf32>) -> tensor<0xf32>
  return %0, %1, %2, %3, %4 : tensor<6xf32>, tensor<3x9xi32>, tensor<8xi1>, tensor<5xbf16>, tensor<0xf32>
}
