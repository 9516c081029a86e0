// RUN: --shardc-import-calls
// a call has layouts of operands and of results or none, also where one list is empty; it stays on its device
sdy.mesh @device_1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  "stablehlo.custom_call"(%arg0) <{call_target_name = "no_results", has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<2x3xf32>) -> ()
  %0 = stablehlo.custom_call @on_one_device(%arg0) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>]>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// ---- expect
module {
  sdy.mesh @device_1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    stablehlo.custom_call @no_results(%arg0) {has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()
    %0 = stablehlo.custom_call @on_one_device(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@device_1, []>]>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
}
