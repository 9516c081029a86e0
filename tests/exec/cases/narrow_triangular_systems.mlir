// tolerance: 1e-2
// Triangular systems: more unknowns than a block of rows and fewer, more right sides than a part and fewer, of narrow floats.
func.func @main(%a0: tensor<2x2x17x17xbf16>, %b0: tensor<2x2x17x130xbf16>, %a1: tensor<12x12xf16>, %b1: tensor<5x12xf16>) -> (tensor<2x2x17x130xbf16>, tensor<5x12xf16>) {
  %i0 = stablehlo.iota dim = 2 : tensor<2x2x17x17xi32>
  %j0 = stablehlo.iota dim = 3 : tensor<2x2x17x17xi32>
  %q0 = stablehlo.compare EQ, %i0, %j0 : (tensor<2x2x17x17xi32>, tensor<2x2x17x17xi32>) -> tensor<2x2x17x17xi1>
  %d0 = stablehlo.convert %q0 : (tensor<2x2x17x17xi1>) -> tensor<2x2x17x17xbf16>
  %s0 = stablehlo.constant dense<17.0> : tensor<2x2x17x17xbf16>
  %o0 = stablehlo.divide %a0, %s0 : tensor<2x2x17x17xbf16>
  %p0 = stablehlo.add %o0, %d0 : tensor<2x2x17x17xbf16>
  %p0_2 = stablehlo.add %p0, %d0 : tensor<2x2x17x17xbf16>
  %x0 = "stablehlo.triangular_solve"(%p0_2, %b0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x2x17x17xbf16>, tensor<2x2x17x130xbf16>) -> tensor<2x2x17x130xbf16>
  %i1 = stablehlo.iota dim = 0 : tensor<12x12xi32>
  %j1 = stablehlo.iota dim = 1 : tensor<12x12xi32>
  %q1 = stablehlo.compare EQ, %i1, %j1 : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
  %d1 = stablehlo.convert %q1 : (tensor<12x12xi1>) -> tensor<12x12xf16>
  %s1 = stablehlo.constant dense<12.0> : tensor<12x12xf16>
  %o1 = stablehlo.divide %a1, %s1 : tensor<12x12xf16>
  %p1 = stablehlo.add %o1, %d1 : tensor<12x12xf16>
  %p1_2 = stablehlo.add %p1, %d1 : tensor<12x12xf16>
  %x1 = "stablehlo.triangular_solve"(%p1_2, %b1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<12x12xf16>, tensor<5x12xf16>) -> tensor<5x12xf16>
  return %x0, %x1 : tensor<2x2x17x130xbf16>, tensor<5x12xf16>
}
