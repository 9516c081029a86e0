// Programs of linalg, tosa, arith, tensor and scf: their numbers.
#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
func.func @matmuls() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[0.0, 1.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %v = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%a : tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[3.0, 5.0], [7.0, 11.0]]> : tensor<2x2xf32>
  %1 = linalg.matmul_transpose_a ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%b : tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %1, dense<[[3.0, 5.0], [5.0, 7.0]]> : tensor<2x2xf32>
  %2 = linalg.matvec ins(%a, %v : tensor<2x2xf32>, tensor<2xf32>) outs(%v : tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %2, dense<[0.0, -2.0]> : tensor<2xf32>
  %3 = linalg.vecmat ins(%v, %a : tensor<2xf32>, tensor<2x2xf32>) outs(%v : tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %3, dense<[-1.0, -3.0]> : tensor<2xf32>
  return
}
func.func @generics() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %e = tensor.empty() : tensor<3x2xi32>
  %t = linalg.generic {indexing_maps = [#id, #tr], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<2x3xi32>) outs(%e : tensor<3x2xi32>) {
    ^bb0(%x: i32, %out: i32):
      %i = linalg.index 0 : index
      %k = arith.index_cast %i : index to i32
      %s = arith.addi %x, %k : i32
      linalg.yield %s : i32
  } -> tensor<3x2xi32>
  check.expect_eq_const %t, dense<[[1, 5], [2, 6], [3, 7]]> : tensor<3x2xi32>
  %init = stablehlo.constant dense<[10, 0]> : tensor<2xi32>
  %r = linalg.reduce { arith.maxsi } ins(%a : tensor<2x3xi32>) outs(%init : tensor<2xi32>) dimensions = [1]
  check.expect_eq_const %r, dense<[10, 6]> : tensor<2xi32>
  %m = linalg.map { arith.muli } ins(%a, %a : tensor<2x3xi32>, tensor<2x3xi32>) outs(%a : tensor<2x3xi32>)
  check.expect_eq_const %m, dense<[[1, 4, 9], [16, 25, 36]]> : tensor<2x3xi32>
  %p = linalg.transpose ins(%a : tensor<2x3xi32>) outs(%e : tensor<3x2xi32>) permutation = [1, 0]
  check.expect_eq_const %p, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %f = tensor.empty() : tensor<2x2xi32>
  %b = linalg.broadcast ins(%init : tensor<2xi32>) outs(%f : tensor<2x2xi32>) dimensions = [0]
  check.expect_eq_const %b, dense<[[10, 0], [10, 0]]> : tensor<2x2xi32>
  %d = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%a, %a : tensor<2x3xi32>, tensor<2x3xi32>) outs(%init : tensor<2xi32>) {
    ^bb0(%x: i32, %y: i32, %out: i32):
      %q = arith.muli %x, %y : i32
      %s = arith.addi %out, %q : i32
      linalg.yield %s : i32
  } -> tensor<2xi32>
  check.expect_eq_const %d, dense<[24, 77]> : tensor<2xi32>
  return
}
func.func @windows() {
  %x = stablehlo.constant dense<[[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]], [[7.0], [8.0], [9.0]]]]> : tensor<1x3x3x1xf32>
  %k = stablehlo.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x1xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x3x3x1xf32>, tensor<2x2x1x1xf32>) outs(%z : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  check.expect_eq_const %0, dense<[[[[37.0], [47.0]], [[67.0], [77.0]]]]> : tensor<1x2x2x1xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x3x3x1xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  check.expect_eq_const %1, dense<[[[[5.0], [6.0]], [[8.0], [9.0]]]]> : tensor<1x2x2x1xf32>
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %2 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2>} : (tensor<1x3x3x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x1xf32>
  check.expect_eq_const %2, dense<[[[[1.0], [2.5]], [[5.5], [7.0]]]]> : tensor<1x2x2x1xf32>
  %ow = stablehlo.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32>
  %bias = stablehlo.constant dense<[100.0]> : tensor<1xf32>
  %3 = tosa.conv2d %x, %ow, %bias {pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x3x3x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>) -> tensor<1x2x2x1xf32>
  check.expect_eq_const %3, dense<[[[[137.0], [147.0]], [[167.0], [177.0]]]]> : tensor<1x2x2x1xf32>
  return
}
func.func @tosa_ops() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = tosa.reduce_sum %a {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  check.expect_eq_const %s, dense<[[6], [15]]> : tensor<2x1xi32>
  %d = tosa.sub %a, %s : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %d, dense<[[-5, -4, -3], [-11, -10, -9]]> : tensor<2x3xi32>
  %t = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %t, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %start = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %c = tosa.slice %a, %start, %size : (tensor<2x3xi32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x2xi32>
  check.expect_eq_const %c, dense<[[2, 3], [5, 6]]> : tensor<2x2xi32>
  %r = tosa.reverse %a {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %r, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  %m = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %u = tosa.tile %c, %m : (tensor<2x2xi32>, !tosa.shape<2>) -> tensor<4x2xi32>
  check.expect_eq_const %u, dense<[[2, 3], [5, 6], [2, 3], [5, 6]]> : tensor<4x2xi32>
  %g = tosa.greater %a, %s : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  check.expect_eq_const %g, dense<false> : tensor<2x3xi1>
  %v = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>
  %i = stablehlo.constant dense<[[2, 0]]> : tensor<1x2xi32>
  %w = tosa.gather %v, %i : (tensor<1x3x2xi32>, tensor<1x2xi32>) -> tensor<1x2x2xi32>
  check.expect_eq_const %w, dense<[[[5, 6], [1, 2]]]> : tensor<1x2x2xi32>
  %l = tosa.clamp %a {min_val = 2 : i32, max_val = 5 : i32} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %l, dense<[[2, 2, 3], [4, 5, 5]]> : tensor<2x3xi32>
  return
}
func.func @scalars() {
  %x = stablehlo.constant dense<[-1, 3]> : tensor<2xi32>
  %y = stablehlo.constant dense<2> : tensor<2xi32>
  %0 = arith.divui %x, %y : tensor<2xi32>
  check.expect_eq_const %0, dense<[2147483647, 1]> : tensor<2xi32>
  %1 = arith.maxui %x, %y : tensor<2xi32>
  check.expect_eq_const %1, dense<[-1, 3]> : tensor<2xi32>
  %2 = arith.extui %x : tensor<2xi32> to tensor<2xi64>
  check.expect_eq_const %2, dense<[4294967295, 3]> : tensor<2xi64>
  %p = arith.cmpi ult, %x, %y : tensor<2xi32>
  check.expect_eq_const %p, dense<false> : tensor<2xi1>
  %n = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %o = stablehlo.constant dense<2.0> : tensor<2xf32>
  %3 = arith.maxnumf %n, %o : tensor<2xf32>
  check.expect_eq_const %3, dense<2.0> : tensor<2xf32>
  %q = arith.cmpf ult, %n, %o : tensor<2xf32>
  check.expect_eq_const %q, dense<true> : tensor<2xi1>
  %s = arith.cmpf one, %n, %o : tensor<2xf32>
  check.expect_eq_const %s, dense<[false, true]> : tensor<2xi1>
  return
}
func.func @tensors_and_loops() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<2x4xi32>
  %s = tensor.extract_slice %x[0, %c1] [2, 2] [1, 1] : tensor<2x4xi32> to tensor<2x2xi32>
  check.expect_eq_const %s, dense<[[2, 3], [6, 7]]> : tensor<2x2xi32>
  %t = tensor.extract_slice %x[1, 0] [1, 2] [1, 2] : tensor<2x4xi32> to tensor<2xi32>
  check.expect_eq_const %t, dense<[5, 7]> : tensor<2xi32>
  %i = tensor.insert_slice %s into %x[0, 0] [2, 2] [1, 1] : tensor<2x2xi32> into tensor<2x4xi32>
  check.expect_eq_const %i, dense<[[2, 3, 3, 4], [6, 7, 7, 8]]> : tensor<2x4xi32>
  %z = arith.constant 9 : i32
  %p = tensor.pad %s low[0, 1] high[0, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %z : i32
  } : tensor<2x2xi32> to tensor<2x3xi32>
  check.expect_eq_const %p, dense<[[9, 2, 3], [9, 6, 7]]> : tensor<2x3xi32>
  %g = tensor.generate {
  ^bb0(%a: index, %b: index):
    %m = arith.muli %a, %b : index
    %v = arith.index_cast %m : index to i32
    tensor.yield %v : i32
  } : tensor<2x3xi32>
  check.expect_eq_const %g, dense<[[0, 0, 0], [0, 1, 2]]> : tensor<2x3xi32>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %x[%c1, %c0] : tensor<2x4xi32>
  %sum = scf.for %k = %c0 to %d step %c1 iter_args(%acc = %e) -> (i32) {
    %el = tensor.extract %x[%c0, %k] : tensor<2x4xi32>
    %n = arith.addi %acc, %el : i32
    scf.yield %n : i32
  }
  %r = tensor.from_elements %sum, %e : tensor<2xi32>
  check.expect_eq_const %r, dense<[15, 5]> : tensor<2xi32>
  %limit = arith.constant 100 : i32
  %w:2 = scf.while (%a = %e) : (i32) -> (i32, i32) {
    %go = arith.cmpi slt, %a, %limit : i32
    %b = arith.addi %a, %a : i32
    scf.condition(%go) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    scf.yield %b : i32
  }
  %u = tensor.from_elements %w#0, %w#1 : tensor<2xi32>
  check.expect_eq_const %u, dense<[160, 320]> : tensor<2xi32>
  return
}
