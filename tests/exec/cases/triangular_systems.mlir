// tolerance: 5e-6
// Triangular systems: more unknowns than a block of rows and fewer, more right sides than a part and fewer, all sides, transposes and types.
func.func @main(%a0: tensor<130x130xf32>, %b0: tensor<130x300xf32>, %a1: tensor<37x37xf32>, %b1: tensor<70x37xf32>, %a2: tensor<200x200xf32>, %b2: tensor<33x200xf32>, %a3: tensor<65x65xf32>, %b3: tensor<65x1xf32>, %a4: tensor<3x21x21xf64>, %b4: tensor<3x21x40xf64>, %a5: tensor<2x9x9xf64>, %b5: tensor<2x3x9xf64>, %a6: tensor<50x50xcomplex<f32>>, %b6: tensor<50x90xcomplex<f32>>, %a7: tensor<2x13x13xcomplex<f64>>, %b7: tensor<2x7x13xcomplex<f64>>, %a8: tensor<11x11xcomplex<f32>>, %b8: tensor<11x2xcomplex<f32>>) -> (tensor<130x300xf32>, tensor<70x37xf32>, tensor<33x200xf32>, tensor<65x1xf32>, tensor<3x21x40xf64>, tensor<2x3x9xf64>, tensor<50x90xcomplex<f32>>, tensor<2x7x13xcomplex<f64>>, tensor<11x2xcomplex<f32>>) {
  %i0 = stablehlo.iota dim = 0 : tensor<130x130xi32>
  %j0 = stablehlo.iota dim = 1 : tensor<130x130xi32>
  %q0 = stablehlo.compare EQ, %i0, %j0 : (tensor<130x130xi32>, tensor<130x130xi32>) -> tensor<130x130xi1>
  %d0 = stablehlo.convert %q0 : (tensor<130x130xi1>) -> tensor<130x130xf32>
  %s0 = stablehlo.constant dense<130.0> : tensor<130x130xf32>
  %o0 = stablehlo.divide %a0, %s0 : tensor<130x130xf32>
  %p0 = stablehlo.add %o0, %d0 : tensor<130x130xf32>
  %p0_2 = stablehlo.add %p0, %d0 : tensor<130x130xf32>
  %x0 = "stablehlo.triangular_solve"(%p0_2, %b0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<130x130xf32>, tensor<130x300xf32>) -> tensor<130x300xf32>
  %i1 = stablehlo.iota dim = 0 : tensor<37x37xi32>
  %j1 = stablehlo.iota dim = 1 : tensor<37x37xi32>
  %q1 = stablehlo.compare EQ, %i1, %j1 : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
  %d1 = stablehlo.convert %q1 : (tensor<37x37xi1>) -> tensor<37x37xf32>
  %s1 = stablehlo.constant dense<37.0> : tensor<37x37xf32>
  %o1 = stablehlo.divide %a1, %s1 : tensor<37x37xf32>
  %p1 = stablehlo.add %o1, %d1 : tensor<37x37xf32>
  %p1_2 = stablehlo.add %p1, %d1 : tensor<37x37xf32>
  %x1 = "stablehlo.triangular_solve"(%p1_2, %b1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<70x37xf32>) -> tensor<70x37xf32>
  %i2 = stablehlo.iota dim = 0 : tensor<200x200xi32>
  %j2 = stablehlo.iota dim = 1 : tensor<200x200xi32>
  %q2 = stablehlo.compare EQ, %i2, %j2 : (tensor<200x200xi32>, tensor<200x200xi32>) -> tensor<200x200xi1>
  %d2 = stablehlo.convert %q2 : (tensor<200x200xi1>) -> tensor<200x200xf32>
  %s2 = stablehlo.constant dense<200.0> : tensor<200x200xf32>
  %o2 = stablehlo.divide %a2, %s2 : tensor<200x200xf32>
  %p2 = stablehlo.add %o2, %d2 : tensor<200x200xf32>
  %p2_2 = stablehlo.add %p2, %d2 : tensor<200x200xf32>
  %x2 = "stablehlo.triangular_solve"(%p2_2, %b2) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<200x200xf32>, tensor<33x200xf32>) -> tensor<33x200xf32>
  %i3 = stablehlo.iota dim = 0 : tensor<65x65xi32>
  %j3 = stablehlo.iota dim = 1 : tensor<65x65xi32>
  %q3 = stablehlo.compare EQ, %i3, %j3 : (tensor<65x65xi32>, tensor<65x65xi32>) -> tensor<65x65xi1>
  %d3 = stablehlo.convert %q3 : (tensor<65x65xi1>) -> tensor<65x65xf32>
  %s3 = stablehlo.constant dense<65.0> : tensor<65x65xf32>
  %o3 = stablehlo.divide %a3, %s3 : tensor<65x65xf32>
  %p3 = stablehlo.add %o3, %d3 : tensor<65x65xf32>
  %p3_2 = stablehlo.add %p3, %d3 : tensor<65x65xf32>
  %x3 = "stablehlo.triangular_solve"(%p3_2, %b3) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<65x65xf32>, tensor<65x1xf32>) -> tensor<65x1xf32>
  %i4 = stablehlo.iota dim = 1 : tensor<3x21x21xi32>
  %j4 = stablehlo.iota dim = 2 : tensor<3x21x21xi32>
  %q4 = stablehlo.compare EQ, %i4, %j4 : (tensor<3x21x21xi32>, tensor<3x21x21xi32>) -> tensor<3x21x21xi1>
  %d4 = stablehlo.convert %q4 : (tensor<3x21x21xi1>) -> tensor<3x21x21xf64>
  %s4 = stablehlo.constant dense<21.0> : tensor<3x21x21xf64>
  %o4 = stablehlo.divide %a4, %s4 : tensor<3x21x21xf64>
  %p4 = stablehlo.add %o4, %d4 : tensor<3x21x21xf64>
  %p4_2 = stablehlo.add %p4, %d4 : tensor<3x21x21xf64>
  %x4 = "stablehlo.triangular_solve"(%p4_2, %b4) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x21x21xf64>, tensor<3x21x40xf64>) -> tensor<3x21x40xf64>
  %i5 = stablehlo.iota dim = 1 : tensor<2x9x9xi32>
  %j5 = stablehlo.iota dim = 2 : tensor<2x9x9xi32>
  %q5 = stablehlo.compare EQ, %i5, %j5 : (tensor<2x9x9xi32>, tensor<2x9x9xi32>) -> tensor<2x9x9xi1>
  %d5 = stablehlo.convert %q5 : (tensor<2x9x9xi1>) -> tensor<2x9x9xf64>
  %s5 = stablehlo.constant dense<9.0> : tensor<2x9x9xf64>
  %o5 = stablehlo.divide %a5, %s5 : tensor<2x9x9xf64>
  %p5 = stablehlo.add %o5, %d5 : tensor<2x9x9xf64>
  %p5_2 = stablehlo.add %p5, %d5 : tensor<2x9x9xf64>
  %x5 = "stablehlo.triangular_solve"(%p5_2, %b5) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<2x9x9xf64>, tensor<2x3x9xf64>) -> tensor<2x3x9xf64>
  %i6 = stablehlo.iota dim = 0 : tensor<50x50xi32>
  %j6 = stablehlo.iota dim = 1 : tensor<50x50xi32>
  %q6 = stablehlo.compare EQ, %i6, %j6 : (tensor<50x50xi32>, tensor<50x50xi32>) -> tensor<50x50xi1>
  %d6 = stablehlo.convert %q6 : (tensor<50x50xi1>) -> tensor<50x50xcomplex<f32>>
  %s6 = stablehlo.constant dense<(50.0, 0.0)> : tensor<50x50xcomplex<f32>>
  %o6 = stablehlo.divide %a6, %s6 : tensor<50x50xcomplex<f32>>
  %p6 = stablehlo.add %o6, %d6 : tensor<50x50xcomplex<f32>>
  %p6_2 = stablehlo.add %p6, %d6 : tensor<50x50xcomplex<f32>>
  %x6 = "stablehlo.triangular_solve"(%p6_2, %b6) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<50x50xcomplex<f32>>, tensor<50x90xcomplex<f32>>) -> tensor<50x90xcomplex<f32>>
  %i7 = stablehlo.iota dim = 1 : tensor<2x13x13xi32>
  %j7 = stablehlo.iota dim = 2 : tensor<2x13x13xi32>
  %q7 = stablehlo.compare EQ, %i7, %j7 : (tensor<2x13x13xi32>, tensor<2x13x13xi32>) -> tensor<2x13x13xi1>
  %d7 = stablehlo.convert %q7 : (tensor<2x13x13xi1>) -> tensor<2x13x13xcomplex<f64>>
  %s7 = stablehlo.constant dense<(13.0, 0.0)> : tensor<2x13x13xcomplex<f64>>
  %o7 = stablehlo.divide %a7, %s7 : tensor<2x13x13xcomplex<f64>>
  %p7 = stablehlo.add %o7, %d7 : tensor<2x13x13xcomplex<f64>>
  %p7_2 = stablehlo.add %p7, %d7 : tensor<2x13x13xcomplex<f64>>
  %x7 = "stablehlo.triangular_solve"(%p7_2, %b7) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x13x13xcomplex<f64>>, tensor<2x7x13xcomplex<f64>>) -> tensor<2x7x13xcomplex<f64>>
  %i8 = stablehlo.iota dim = 0 : tensor<11x11xi32>
  %j8 = stablehlo.iota dim = 1 : tensor<11x11xi32>
  %q8 = stablehlo.compare EQ, %i8, %j8 : (tensor<11x11xi32>, tensor<11x11xi32>) -> tensor<11x11xi1>
  %d8 = stablehlo.convert %q8 : (tensor<11x11xi1>) -> tensor<11x11xcomplex<f32>>
  %s8 = stablehlo.constant dense<(11.0, 0.0)> : tensor<11x11xcomplex<f32>>
  %o8 = stablehlo.divide %a8, %s8 : tensor<11x11xcomplex<f32>>
  %p8 = stablehlo.add %o8, %d8 : tensor<11x11xcomplex<f32>>
  %p8_2 = stablehlo.add %p8, %d8 : tensor<11x11xcomplex<f32>>
  %x8 = "stablehlo.triangular_solve"(%p8_2, %b8) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<11x11xcomplex<f32>>, tensor<11x2xcomplex<f32>>) -> tensor<11x2xcomplex<f32>>
  return %x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8 : tensor<130x300xf32>, tensor<70x37xf32>, tensor<33x200xf32>, tensor<65x1xf32>, tensor<3x21x40xf64>, tensor<2x3x9xf64>, tensor<50x90xcomplex<f32>>, tensor<2x7x13xcomplex<f64>>, tensor<11x2xcomplex<f32>>
}
