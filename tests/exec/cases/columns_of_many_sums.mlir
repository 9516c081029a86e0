// Many sums along columns that share a block, and columns that fill no block.
// tolerance: 1e-12
module @columns_of_many_sums {
  func.func public @main(%x: tensor<24x1030xf64>) -> tensor<24x1030xf64> {
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %c0 = stablehlo.constant dense<0.125> : tensor<24x1030xf64>
    %p0 = stablehlo.multiply %x, %c0 : tensor<24x1030xf64>
    %e0 = stablehlo.exponential %p0 : tensor<24x1030xf64>
    %r0 = stablehlo.reduce(%e0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b0 = stablehlo.broadcast_in_dim %r0, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a0 = stablehlo.divide %x, %b0 : tensor<24x1030xf64>
    %c1 = stablehlo.constant dense<0.25> : tensor<24x1030xf64>
    %p1 = stablehlo.multiply %x, %c1 : tensor<24x1030xf64>
    %e1 = stablehlo.exponential %p1 : tensor<24x1030xf64>
    %r1 = stablehlo.reduce(%e1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b1 = stablehlo.broadcast_in_dim %r1, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a1 = stablehlo.divide %a0, %b1 : tensor<24x1030xf64>
    %c2 = stablehlo.constant dense<0.375> : tensor<24x1030xf64>
    %p2 = stablehlo.multiply %x, %c2 : tensor<24x1030xf64>
    %e2 = stablehlo.exponential %p2 : tensor<24x1030xf64>
    %r2 = stablehlo.reduce(%e2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b2 = stablehlo.broadcast_in_dim %r2, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a2 = stablehlo.divide %a1, %b2 : tensor<24x1030xf64>
    %c3 = stablehlo.constant dense<0.5> : tensor<24x1030xf64>
    %p3 = stablehlo.multiply %x, %c3 : tensor<24x1030xf64>
    %e3 = stablehlo.exponential %p3 : tensor<24x1030xf64>
    %r3 = stablehlo.reduce(%e3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b3 = stablehlo.broadcast_in_dim %r3, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a3 = stablehlo.divide %a2, %b3 : tensor<24x1030xf64>
    %c4 = stablehlo.constant dense<0.625> : tensor<24x1030xf64>
    %p4 = stablehlo.multiply %x, %c4 : tensor<24x1030xf64>
    %e4 = stablehlo.exponential %p4 : tensor<24x1030xf64>
    %r4 = stablehlo.reduce(%e4 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b4 = stablehlo.broadcast_in_dim %r4, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a4 = stablehlo.divide %a3, %b4 : tensor<24x1030xf64>
    %c5 = stablehlo.constant dense<0.75> : tensor<24x1030xf64>
    %p5 = stablehlo.multiply %x, %c5 : tensor<24x1030xf64>
    %e5 = stablehlo.exponential %p5 : tensor<24x1030xf64>
    %r5 = stablehlo.reduce(%e5 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b5 = stablehlo.broadcast_in_dim %r5, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a5 = stablehlo.divide %a4, %b5 : tensor<24x1030xf64>
    %c6 = stablehlo.constant dense<0.875> : tensor<24x1030xf64>
    %p6 = stablehlo.multiply %x, %c6 : tensor<24x1030xf64>
    %e6 = stablehlo.exponential %p6 : tensor<24x1030xf64>
    %r6 = stablehlo.reduce(%e6 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b6 = stablehlo.broadcast_in_dim %r6, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a6 = stablehlo.divide %a5, %b6 : tensor<24x1030xf64>
    %c7 = stablehlo.constant dense<1.0> : tensor<24x1030xf64>
    %p7 = stablehlo.multiply %x, %c7 : tensor<24x1030xf64>
    %e7 = stablehlo.exponential %p7 : tensor<24x1030xf64>
    %r7 = stablehlo.reduce(%e7 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b7 = stablehlo.broadcast_in_dim %r7, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a7 = stablehlo.divide %a6, %b7 : tensor<24x1030xf64>
    %c8 = stablehlo.constant dense<1.125> : tensor<24x1030xf64>
    %p8 = stablehlo.multiply %x, %c8 : tensor<24x1030xf64>
    %e8 = stablehlo.exponential %p8 : tensor<24x1030xf64>
    %r8 = stablehlo.reduce(%e8 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b8 = stablehlo.broadcast_in_dim %r8, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a8 = stablehlo.divide %a7, %b8 : tensor<24x1030xf64>
    %c9 = stablehlo.constant dense<1.25> : tensor<24x1030xf64>
    %p9 = stablehlo.multiply %x, %c9 : tensor<24x1030xf64>
    %e9 = stablehlo.exponential %p9 : tensor<24x1030xf64>
    %r9 = stablehlo.reduce(%e9 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b9 = stablehlo.broadcast_in_dim %r9, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a9 = stablehlo.divide %a8, %b9 : tensor<24x1030xf64>
    %c10 = stablehlo.constant dense<1.375> : tensor<24x1030xf64>
    %p10 = stablehlo.multiply %x, %c10 : tensor<24x1030xf64>
    %e10 = stablehlo.exponential %p10 : tensor<24x1030xf64>
    %r10 = stablehlo.reduce(%e10 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b10 = stablehlo.broadcast_in_dim %r10, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a10 = stablehlo.divide %a9, %b10 : tensor<24x1030xf64>
    %c11 = stablehlo.constant dense<1.5> : tensor<24x1030xf64>
    %p11 = stablehlo.multiply %x, %c11 : tensor<24x1030xf64>
    %e11 = stablehlo.exponential %p11 : tensor<24x1030xf64>
    %r11 = stablehlo.reduce(%e11 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<24x1030xf64>, tensor<f64>) -> tensor<1030xf64>
    %b11 = stablehlo.broadcast_in_dim %r11, dims = [1] : (tensor<1030xf64>) -> tensor<24x1030xf64>
    %a11 = stablehlo.divide %a10, %b11 : tensor<24x1030xf64>
    return %a11 : tensor<24x1030xf64>
  }
}
