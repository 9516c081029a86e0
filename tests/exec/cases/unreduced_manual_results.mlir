// Manual computations take and return parts of sums, of maxima and of minima. The operand's part on the first device is all of it.
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func public @main(
    %a: tensor<4x4xi32>, %b: tensor<4x4xi8>) -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi8>, tensor<4x4xbf16>, tensor<4x4xi32>) {
  %0:6 = sdy.manual_computation(%a, %b)
      in_shardings=[<@mesh, [{}, {"y"}], unreduced={"x"}>, <@mesh, [{}, {}], unreduced=max{"y"}>]
      out_shardings=[<@mesh, [{}, {"y"}], unreduced={"x"}>, <@mesh, [{"y"}, {}], unreduced=max{"x"}>, <@mesh, [{}, {}], unreduced=min{"x", "y"}>,
                     <@mesh, [{}, {}], unreduced={"y"}>, <@mesh, [{}, {"x"}], unreduced={"y"}>, <@mesh, [{"x"}, {"y"}]>]
      manual_axes={"x", "y"} (%p: tensor<4x2xi32>, %q: tensor<4x4xi8>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %four = stablehlo.constant dense<4> : tensor<ui32>
    %x = stablehlo.divide %id, %four : tensor<ui32>
    %xy = stablehlo.divide %id, %two : tensor<ui32>
    %y = stablehlo.remainder %xy, %two : tensor<ui32>
    %xi = stablehlo.convert %x : (tensor<ui32>) -> tensor<i32>
    %yi = stablehlo.convert %y : (tensor<ui32>) -> tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<4x2xi32>
    %xs = stablehlo.broadcast_in_dim %xi, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
    %ys = stablehlo.broadcast_in_dim %yi, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
    %ten = stablehlo.constant dense<10> : tensor<4x2xi32>
    %tenx = stablehlo.multiply %xs, %ten : tensor<4x2xi32>
    %sum = stablehlo.add %p, %tenx : tensor<4x2xi32>
    %most = stablehlo.xor %i, %tenx : tensor<4x2xi32>
    %most2 = stablehlo.reshape %most : (tensor<4x2xi32>) -> tensor<2x4xi32>
    %both = stablehlo.add %tenx, %ys : tensor<4x2xi32>
    %turned = stablehlo.subtract %i, %both : tensor<4x2xi32>
    %least = stablehlo.concatenate %turned, %most, dim = 1 : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x4xi32>
    %y8 = stablehlo.convert %yi : (tensor<i32>) -> tensor<i8>
    %ys8 = stablehlo.broadcast_in_dim %y8, dims = [] : (tensor<i8>) -> tensor<4x4xi8>
    %bytes = stablehlo.add %q, %ys8 : tensor<4x4xi8>
    %narrow = stablehlo.convert %turned : (tensor<4x2xi32>) -> tensor<4x2xbf16>
    %ints = stablehlo.slice %most [0:2, 0:2] : (tensor<4x2xi32>) -> tensor<2x2xi32>
    sdy.return %sum, %most2, %least, %bytes, %narrow, %ints : tensor<4x2xi32>, tensor<2x4xi32>, tensor<4x4xi32>, tensor<4x4xi8>, tensor<4x2xbf16>, tensor<2x2xi32>
  } : (tensor<4x4xi32>, tensor<4x4xi8>) -> (tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi8>, tensor<4x4xbf16>, tensor<4x4xi32>)
  %1 = sdy.all_reduce max {"x"} %0#1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x4xi32>
  %2 = stablehlo.negate %0#2 : tensor<4x4xi32>
  %3 = sdy.manual_computation(%0#0) in_shardings=[<@mesh, [{}, {}], unreduced={"y"}>] out_shardings=[<@mesh, [{}, {}], unreduced=min{"y"}>] manual_axes={"y"} (%p: tensor<4x4xi32>) {
    %4 = sdy.manual_computation(%p) in_shardings=[<@mesh, [{}, {}], unreduced={"z"}>] out_shardings=[<@mesh, [{}, {}], unreduced=max{"z"}>] manual_axes={"z"} (%q: tensor<4x4xi32>) {
      %5 = stablehlo.add %q, %q : tensor<4x4xi32>
      sdy.return %5 : tensor<4x4xi32>
    } : (tensor<4x4xi32>) -> tensor<4x4xi32>
    sdy.return %4 : tensor<4x4xi32>
  } : (tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0#0, %1, %2, %0#3, %0#4, %3 : tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi8>, tensor<4x4xbf16>, tensor<4x4xi32>
}
