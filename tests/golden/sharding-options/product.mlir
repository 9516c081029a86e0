// RUN: --print-sharding-options
// A product costs an all-reduce where k is split; a dimension of 6 takes no axis of 4; a reshape splits what leaves no strides.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x6xf32>, %b: tensor<6x16xf32>) -> tensor<4x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.add %0, %0 : tensor<8x16xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x16xf32>) -> tensor<4x32xf32>
  return %2 : tensor<4x32xf32>
}
// ---- expect
product.mlir:5:8: %0 = stablehlo.dot_general on @mesh: 12 options
  <@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]> -> <@mesh, [{"x"}, {"y"}]>: communication 0 bytes, memory 256 bytes
  <@mesh, [{"y"}, {}]>, <@mesh, [{}, {"x"}]> -> <@mesh, [{"y"}, {"x"}]>: communication 0 bytes, memory 304 bytes
  <@mesh, [{}, {}]>, <@mesh, [{}, {"x", "y"}]> -> <@mesh, [{}, {"x", "y"}]>: communication 0 bytes, memory 304 bytes
  <@mesh, [{}, {}]>, <@mesh, [{}, {"y"}]> -> <@mesh, [{}, {"y"}]>: communication 0 bytes, memory 416 bytes
  <@mesh, [{"x", "y"}, {}]>, <@mesh, [{}, {}]> -> <@mesh, [{"x", "y"}, {}]>: communication 0 bytes, memory 472 bytes
  <@mesh, [{"y"}, {}]>, <@mesh, [{}, {}]> -> <@mesh, [{"y"}, {}]>: communication 0 bytes, memory 560 bytes
  <@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]> -> <@mesh, [{}, {"x"}]>: communication 0 bytes, memory 640 bytes
  <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]> -> <@mesh, [{"x"}, {}]>: communication 0 bytes, memory 736 bytes
  <@mesh, [{}, {}]>, <@mesh, [{}, {}]> -> <@mesh, [{}, {}]>: communication 0 bytes, memory 1088 bytes
  <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {"y"}]> -> <@mesh, [{}, {"y"}]>: communication 128 bytes (all_reduce along "x"), memory 272 bytes
  <@mesh, [{"y"}, {"x"}]>, <@mesh, [{"x"}, {}]> -> <@mesh, [{"y"}, {}]>: communication 128 bytes (all_reduce along "x"), memory 344 bytes
  <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]> -> <@mesh, [{}, {}]>: communication 512 bytes (all_reduce along "x"), memory 800 bytes
product.mlir:6:8: %1 = stablehlo.add on @mesh: 9 options
  <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]> -> <@mesh, [{"x", "y"}, {}]>: communication 0 bytes, memory 128 bytes
  <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]> -> <@mesh, [{"x"}, {"y"}]>: communication 0 bytes, memory 128 bytes
  <@mesh, [{"y"}, {"x"}]>, <@mesh, [{"y"}, {"x"}]> -> <@mesh, [{"y"}, {"x"}]>: communication 0 bytes, memory 128 bytes
  <@mesh, [{}, {"x", "y"}]>, <@mesh, [{}, {"x", "y"}]> -> <@mesh, [{}, {"x", "y"}]>: communication 0 bytes, memory 128 bytes
  <@mesh, [{"y"}, {}]>, <@mesh, [{"y"}, {}]> -> <@mesh, [{"y"}, {}]>: communication 0 bytes, memory 256 bytes
  <@mesh, [{}, {"y"}]>, <@mesh, [{}, {"y"}]> -> <@mesh, [{}, {"y"}]>: communication 0 bytes, memory 256 bytes
  <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]> -> <@mesh, [{"x"}, {}]>: communication 0 bytes, memory 512 bytes
  <@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]> -> <@mesh, [{}, {"x"}]>: communication 0 bytes, memory 512 bytes
  <@mesh, [{}, {}]>, <@mesh, [{}, {}]> -> <@mesh, [{}, {}]>: communication 0 bytes, memory 1024 bytes
product.mlir:7:8: %2 = stablehlo.reshape on @mesh: 4 options
  <@mesh, [{"y", "x"}, {}]> -> <@mesh, [{"y"}, {"x"}]>: communication 0 bytes, memory 128 bytes
  <@mesh, [{"y"}, {}]> -> <@mesh, [{"y"}, {}]>: communication 0 bytes, memory 256 bytes
  <@mesh, [{"x"}, {}]> -> <@mesh, [{"x"}, {}]>: communication 0 bytes, memory 512 bytes
  <@mesh, [{}, {}]> -> <@mesh, [{}, {}]>: communication 0 bytes, memory 1024 bytes
