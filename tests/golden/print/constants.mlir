// RUN:
// Floats as LLVM prints them, names c and cst, splats, complex numbers, bits.
func.func @main() {
  %0 = stablehlo.constant dense<0.1> : tensor<f32>
  %1 = stablehlo.constant dense<0.9> : tensor<f32>
  %2 = stablehlo.constant dense<[1.0e-5, 123456792.0, 0x7FC00000, 0xFF800000]> : tensor<4xf32>
  %3 = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %4 = stablehlo.constant dense<-7> : tensor<3x3xi8>
  %5 = stablehlo.constant dense<(1.5, -2.0)> : tensor<2xcomplex<f32>>
  %6 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  %7 = stablehlo.constant dense<> : tensor<0x3xi64>
  %8 = stablehlo.constant dense<1.1> : tensor<bf16>
  %9 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %10 = stablehlo.constant dense_resource<blob> : tensor<2xi32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000100000002000000"
    }
  }
#-}
// ---- expect
module {
  func.func @main() {
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %cst_1 = stablehlo.constant dense<[9.99999974E-6, 0x4CEB79A3, 0x7FC00000, 0xFF800000]> : tensor<4xf32>
    %c = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
    %c_2 = stablehlo.constant dense<-7> : tensor<3x3xi8>
    %cst_3 = stablehlo.constant dense<(1.500000e+00,-2.000000e+00)> : tensor<2xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %c_5 = stablehlo.constant dense<> : tensor<0x3xi64>
    %cst_6 = stablehlo.constant dense<1.101560e+00> : tensor<bf16>
    %c_7 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %c_8 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return
  }
}
