// RUN: not --symbol-dce
// A sharding rule maps every dimension of every operand and result to factors of its own, uses all of them, and lists each once.
func.func @operands(%arg0: tensor<8xf32>) {
  %0 = stablehlo.add %arg0, %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  return
}
func.func @no_results(%arg0: tensor<8xf32>) {
  stablehlo.custom_call @f(%arg0) {has_side_effect = true, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<8xf32>) -> ()
  return
}
func.func @rank(%arg0: tensor<8x4xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=4}>} : tensor<8x4xf32>
  return
}
func.func @dynamic(%arg0: tensor<?xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<?xf32>
  return
}
func.func @no_factor(%arg0: tensor<8x4xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, ])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  return
}
func.func @unknown_factor(%arg0: tensor<8xf32>) {
  %0 = stablehlo.add %arg0, %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [z_3])->([i]) {i=8}>} : tensor<8xf32>
  return
}
func.func @twice(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
  return
}
func.func @size_one(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=8, j=1}>} : tensor<8xf32>
  return
}
func.func @unused(%arg0: tensor<8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8, j=2}>} : tensor<8xf32>
  return
}
func.func @unsorted(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={j, i}>} : tensor<8x8xf32>
  return
}
func.func @listed_twice(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} blocked_propagation={j, j}>} : tensor<8x8xf32>
  return
}
func.func @listed_unknown(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} permutation={k}>} : tensor<8x8xf32>
  return
}
func.func @two_kinds(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={i} permutation={i}>} : tensor<8x8xf32>
  return
}
func.func @reduced_result(%arg0: tensor<8x8xf32>) {
  %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} reduction={i}>} : tensor<8x8xf32>
  return
}
// ---- expect
sharding_rules.mlir:4:8: error: 'stablehlo.add' op number of operands and mappings must match: 2 != 1
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
         ^
sharding_rules.mlir:8:3: error: 'stablehlo.custom_call' op number of results and mappings must match: 0 != 1
    stablehlo.custom_call @f(%arg0) {has_side_effect = true, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<8xf32>) -> ()
    ^
sharding_rules.mlir:12:8: error: 'stablehlo.negate' op result - mapping rank must match: 1 != 2
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=4}>} : tensor<8x4xf32>
         ^
sharding_rules.mlir:16:8: error: 'stablehlo.negate' op operand - expected a ranked tensor with a static shape. type: 'tensor<?xf32>'
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<?xf32>
         ^
sharding_rules.mlir:20:8: error: 'stablehlo.negate' op operand - dim mapping must have at least one factor
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, ])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
         ^
sharding_rules.mlir:24:8: error: 'stablehlo.add' op operand 1 - expecting factor indices to be within 0<=...<num_factors; received: 20, num_factors: 1
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [z_3])->([i]) {i=8}>} : tensor<8xf32>
         ^
sharding_rules.mlir:28:8: error: 'stablehlo.negate' op operand - cannot reuse factors for the same tensor value
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
         ^
sharding_rules.mlir:32:8: error: 'stablehlo.negate' op operand - dim mapping can't have a factor of size 1 if there are multiple factors
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=8, j=1}>} : tensor<8xf32>
         ^
sharding_rules.mlir:36:8: error: 'stablehlo.negate' op has factor j=2 that isn't used in operand and result mappings
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8, j=2}>} : tensor<8xf32>
         ^
sharding_rules.mlir:40:8: error: 'stablehlo.negate' op indices of special factors must be sorted
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={j, i}>} : tensor<8x8xf32>
         ^
sharding_rules.mlir:44:8: error: 'stablehlo.negate' op indices of special factors must be unique
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} blocked_propagation={j, j}>} : tensor<8x8xf32>
         ^
sharding_rules.mlir:48:8: error: 'stablehlo.negate' op index must be less than 2, got: 2
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} permutation={k}>} : tensor<8x8xf32>
         ^
sharding_rules.mlir:52:8: error: 'stablehlo.negate' op a factor can only be in one of the reduction, need replication, or permutation factor sets
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={i} permutation={i}>} : tensor<8x8xf32>
         ^
sharding_rules.mlir:56:8: error: 'stablehlo.negate' op reduction factor cannot be in result mappings
    %0 = stablehlo.negate %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} reduction={i}>} : tensor<8x8xf32>
         ^
