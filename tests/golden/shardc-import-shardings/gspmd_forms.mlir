// RUN: --shardc-import-shardings -split-input-file
// by names of axes, serialized, and with words and blanks as XLA's parser takes them
func.func @main(
    %arg0: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y'}, {'x', ?}]}"},
    %arg1: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{?}, {'x'}], replicated={'y'}, metadata={op_name=\"a}\"}}"},
    %arg2: tensor<8x8xf32> {mhlo.sharding = "\08\03\1A\02\02\04\4A\01\08\52\01\00"},
    %arg3: tensor<8x8xf32> {mhlo.sharding = "\08\03\1A\03\02\01\04\22\08\00\01\02\03\04\05\06\07\30\01"},
    %arg4: tensor<8x8xf32> {mhlo.sharding = ""},
    %arg5: tensor<8x8xf32> {mhlo.sharding = " { manual replicated /* the first of the two in XLA's order */ }"},
    %arg6: tensor<8x8xf32> {mhlo.sharding = "{maximal_mesh[device_id=3]}"}) { return }
// -----
func.func @main() -> (tensor<8xf32> {mhlo.sharding = "{mesh['a'=4,'b'=2], device_ids=([4,2]T(1,0)), [{'a':(2)2}], unreduced={'b'}}"}) {
  %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- expect
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_1"}, {"_axis_0", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"_axis_0"}], replicated={"_axis_1"}>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {"_axis_1"}]>}, %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}, {}]>}, %arg4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg5: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg6: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}) {
    return
  }
}
// -----
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2, "_axis_2"=2]>
  func.func @main() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_axis_0"}], unreduced={"_axis_1"}>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
    return %cst : tensor<8xf32>
  }
}
