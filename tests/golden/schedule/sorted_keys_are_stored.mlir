// RUN: shardc --print-after=schedule
// What is sorted is computed before it, by all lanes in vectors, where that is worth a pass over memory.
func.func @main(%arg0: tensor<65536xf32>) -> tensor<65536xf32> {
  %0 = stablehlo.sine %arg0 : tensor<65536xf32>
  %1 = stablehlo.exponential %0 : tensor<65536xf32>
  %2 = "stablehlo.sort"(%1) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<65536xf32>) -> tensor<65536xf32>
  return %2 : tensor<65536xf32>
}
// ---- expect
// after schedule
// 1 devices
b2[65536]f32 = loop sine+exponential(arg0[65536]f32)  // kernel 0, grid 64
    parallel i0:65536
      b2[i0] = exponential(sine(arg0[i0]))
    loops 0:65536 lanes
result0[65536]f32 = sort sort(b2[65536]f32)  // kernel 1, grid 1
    sort
