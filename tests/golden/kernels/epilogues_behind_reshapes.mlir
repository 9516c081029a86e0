// RUN: shardc --print-after=kernels
// What is made of a product, or of a cumulative sum, element by element is stored by its kernel, also behind a reshape.
func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x36xf32>, %r: tensor<2x12x36xf32>, %x: tensor<6x20xf32>, %s: tensor<120xf32>) -> (tensor<2x12x36xf32>, tensor<120xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x40xf32>, tensor<40x36xf32>) -> tensor<24x36xf32>
  %1 = stablehlo.reshape %0 : (tensor<24x36xf32>) -> tensor<2x12x36xf32>
  %2 = stablehlo.add %1, %r : tensor<2x12x36xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [19, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 20>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<6x20xf32>, tensor<f32>) -> tensor<6x20xf32>
  %4 = stablehlo.reshape %3 : (tensor<6x20xf32>) -> tensor<120xf32>
  %5 = stablehlo.multiply %4, %s : tensor<120xf32>
  return %2, %5 : tensor<2x12x36xf32>, tensor<120xf32>
}
// ---- expect
// after kernels
// 1 devices
result0[2,12,36]f32 = contract dot_general+add with epilogue(arg0[24,40]f32, arg1[40,36]f32, arg2[2,12,36]f32)  // kernel 0, grid 1
    s0 = dot_general
    parallel i0:24
      parallel i1:36
        result0[i0/12, i0%12, i1] = (s0 + arg2[i0/12, i0%12, i1])
result1[120]f32 = window reduce_window+multiply with epilogue(arg3[6,20]f32, arg4[120]f32)  // kernel 1, grid 1
    parallel i0:6
      serial i1:20
        fold f0 = add of arg3[i0, i1] from 0
        result1[i0*20 + i1] = (f0 * arg4[i0*20 + i1])
