// Matrix products round their operands to the precisions of the algorithm, and the result to a narrower accumulation type. 0x3F802008 is
// 1 + 2^-10 + 2^-20; in f16 and tf32 it is 1 + 2^-10, in bf16 and narrower types 1.
func.func @one_operation() {
  %x = stablehlo.constant dense<[[0x3F802008, -1.0], [0x3F802008, 1.0]]> : tensor<2x2xf32>
  %0 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[2.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  // 1 + 2^-9 + 2^-20 with 1 and without it; the last term is lost in f16
  %1 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[0x40002004, 0x3B001000], [0x3B001000, 0x40002004]]> : tensor<2x2xf32>
  %2 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f16, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %2, dense<[[0x40002000, 0x3B000000], [0x3B000000, 0x40002000]]> : tensor<2x2xf32>
  %3 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %3, dense<[[2.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  return
}
// 2^60 + 1 - 2^60 needs more than f64 has; 2^30 + 1 - 2^30 more than f32.
func.func @wider_sums() {
  %x = stablehlo.constant dense<[0x4E800000, 1.0, 0xCE800000]> : tensor<3xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = "stablehlo.dot_general"(%x, %ones) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  check.expect_eq_const %0, dense<1.0> : tensor<f32>
  return
}
// In f32 numbers that bf16 has all algorithms are exact.
func.func @several_operations() {
  %x = stablehlo.constant dense<[[1.5, -3.0], [0.25, 7.0]]> : tensor<2x2xf32>
  %0 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[1.5, -25.5], [2.125, 48.25]]> : tensor<2x2xf32>
  %1 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>,
      algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[1.5, -25.5], [2.125, 48.25]]> : tensor<2x2xf32>
  return
}
