// tolerance: 0
// A few elements of long slices: ties, NaNs, slices in growing order, one element, as many as are collected at once, rests, all types.
func.func @main(%x0: tensor<3x64xf32>, %x1: tensor<5x1000xf32>, %x2: tensor<2x5003xf32>, %x3: tensor<2x5003xf32>, %x4: tensor<3x700xf32>, %x5: tensor<2x3000xf32>, %x6: tensor<2x900xf32>, %x7: tensor<2x2000xf32>, %x8: tensor<4x300xf32>, %x9: tensor<2x4099xf32>, %x10: tensor<2x400xf32>) -> (tensor<3x2xi32>, tensor<3x2xf32>, tensor<5x7xi32>, tensor<2x50xi32>, tensor<2x256xi32>, tensor<2x256xf32>, tensor<3x1xi32>, tensor<3x1xi32>, tensor<2x33xi32>, tensor<2x33xbf16>, tensor<2x20xi32>, tensor<2x20xui8>, tensor<2x40xi32>, tensor<2x40xf32>, tensor<4x75xi32>, tensor<2x100xi32>, tensor<2x100xi8>, tensor<2x3xi32>, tensor<2x3xf64>) {
  %c0 = stablehlo.constant dense<40.0> : tensor<3x64xf32>
  %m0 = stablehlo.multiply %x0, %c0 : tensor<3x64xf32>
  %w0 = stablehlo.round_nearest_even %m0 : tensor<3x64xf32>
  %o0:2 = chlo.top_k(%w0, k = 2) : tensor<3x64xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %c1 = stablehlo.constant dense<40.0> : tensor<5x1000xf32>
  %m1 = stablehlo.multiply %x1, %c1 : tensor<5x1000xf32>
  %h1 = stablehlo.constant dense<9.3> : tensor<5x1000xf32>
  %q1 = stablehlo.compare GT, %m1, %h1 : (tensor<5x1000xf32>, tensor<5x1000xf32>) -> tensor<5x1000xi1>
  %z1 = stablehlo.constant dense<0x7FC00000> : tensor<5x1000xf32>
  %w1 = stablehlo.select %q1, %z1, %m1 : tensor<5x1000xi1>, tensor<5x1000xf32>
  %o1:2 = chlo.top_k(%w1, k = 7) : tensor<5x1000xf32> -> (tensor<5x7xf32>, tensor<5x7xi32>)
  %c2 = stablehlo.constant dense<40.0> : tensor<2x5003xf32>
  %m2 = stablehlo.multiply %x2, %c2 : tensor<2x5003xf32>
  %h2 = stablehlo.constant dense<9.3> : tensor<2x5003xf32>
  %q2 = stablehlo.compare GT, %m2, %h2 : (tensor<2x5003xf32>, tensor<2x5003xf32>) -> tensor<2x5003xi1>
  %z2 = stablehlo.constant dense<0x7FC00000> : tensor<2x5003xf32>
  %w2 = stablehlo.select %q2, %z2, %m2 : tensor<2x5003xi1>, tensor<2x5003xf32>
  %o2:2 = chlo.top_k(%w2, k = 50) : tensor<2x5003xf32> -> (tensor<2x50xf32>, tensor<2x50xi32>)
  %c3 = stablehlo.constant dense<40.0> : tensor<2x5003xf32>
  %m3 = stablehlo.multiply %x3, %c3 : tensor<2x5003xf32>
  %w3 = stablehlo.round_nearest_even %m3 : tensor<2x5003xf32>
  %o3:2 = chlo.top_k(%w3, k = 256) : tensor<2x5003xf32> -> (tensor<2x256xf32>, tensor<2x256xi32>)
  %c4 = stablehlo.constant dense<40.0> : tensor<3x700xf32>
  %m4 = stablehlo.multiply %x4, %c4 : tensor<3x700xf32>
  %w4 = stablehlo.round_nearest_even %m4 : tensor<3x700xf32>
  %v4 = stablehlo.convert %w4 : (tensor<3x700xf32>) -> tensor<3x700xi32>
  %o4:2 = chlo.top_k(%v4, k = 1) : tensor<3x700xi32> -> (tensor<3x1xi32>, tensor<3x1xi32>)
  %c5 = stablehlo.constant dense<40.0> : tensor<2x3000xf32>
  %m5 = stablehlo.multiply %x5, %c5 : tensor<2x3000xf32>
  %w5 = stablehlo.round_nearest_even %m5 : tensor<2x3000xf32>
  %v5 = stablehlo.convert %w5 : (tensor<2x3000xf32>) -> tensor<2x3000xbf16>
  %o5:2 = chlo.top_k(%v5, k = 33) : tensor<2x3000xbf16> -> (tensor<2x33xbf16>, tensor<2x33xi32>)
  %c6 = stablehlo.constant dense<40.0> : tensor<2x900xf32>
  %m6 = stablehlo.multiply %x6, %c6 : tensor<2x900xf32>
  %w6 = stablehlo.round_nearest_even %m6 : tensor<2x900xf32>
  %w6_1 = stablehlo.abs %w6 : tensor<2x900xf32>
  %v6 = stablehlo.convert %w6_1 : (tensor<2x900xf32>) -> tensor<2x900xui8>
  %o6:2 = chlo.top_k(%v6, k = 20) : tensor<2x900xui8> -> (tensor<2x20xui8>, tensor<2x20xi32>)
  %c7 = stablehlo.constant dense<40.0> : tensor<2x2000xf32>
  %m7 = stablehlo.multiply %x7, %c7 : tensor<2x2000xf32>
  %w7 = stablehlo.iota dim = 1 : tensor<2x2000xf32>
  %s7 = stablehlo.constant dense<0.050000> : tensor<2x2000xf32>
  %w7_1 = stablehlo.multiply %w7, %s7 : tensor<2x2000xf32>
  %o7:2 = chlo.top_k(%w7_1, k = 40) : tensor<2x2000xf32> -> (tensor<2x40xf32>, tensor<2x40xi32>)
  %c8 = stablehlo.constant dense<40.0> : tensor<4x300xf32>
  %m8 = stablehlo.multiply %x8, %c8 : tensor<4x300xf32>
  %h8 = stablehlo.constant dense<9.3> : tensor<4x300xf32>
  %q8 = stablehlo.compare GT, %m8, %h8 : (tensor<4x300xf32>, tensor<4x300xf32>) -> tensor<4x300xi1>
  %z8 = stablehlo.constant dense<0x7FC00000> : tensor<4x300xf32>
  %w8 = stablehlo.select %q8, %z8, %m8 : tensor<4x300xi1>, tensor<4x300xf32>
  %v8 = stablehlo.convert %w8 : (tensor<4x300xf32>) -> tensor<4x300xf16>
  %o8:2 = chlo.top_k(%v8, k = 75) : tensor<4x300xf16> -> (tensor<4x75xf16>, tensor<4x75xi32>)
  %c9 = stablehlo.constant dense<40.0> : tensor<2x4099xf32>
  %m9 = stablehlo.multiply %x9, %c9 : tensor<2x4099xf32>
  %w9 = stablehlo.iota dim = 1 : tensor<2x4099xf32>
  %s9 = stablehlo.constant dense<0.024396> : tensor<2x4099xf32>
  %w9_1 = stablehlo.multiply %w9, %s9 : tensor<2x4099xf32>
  %v9 = stablehlo.convert %w9_1 : (tensor<2x4099xf32>) -> tensor<2x4099xi8>
  %o9:2 = chlo.top_k(%v9, k = 100) : tensor<2x4099xi8> -> (tensor<2x100xi8>, tensor<2x100xi32>)
  %c10 = stablehlo.constant dense<40.0> : tensor<2x400xf32>
  %m10 = stablehlo.multiply %x10, %c10 : tensor<2x400xf32>
  %w10 = stablehlo.round_nearest_even %m10 : tensor<2x400xf32>
  %v10 = stablehlo.convert %w10 : (tensor<2x400xf32>) -> tensor<2x400xf64>
  %o10:2 = chlo.top_k(%v10, k = 3) : tensor<2x400xf64> -> (tensor<2x3xf64>, tensor<2x3xi32>)
  return %o0#1, %o0#0, %o1#1, %o2#1, %o3#1, %o3#0, %o4#1, %o4#0, %o5#1, %o5#0, %o6#1, %o6#0, %o7#1, %o7#0, %o8#1, %o9#1, %o9#0, %o10#1, %o10#0 : tensor<3x2xi32>, tensor<3x2xf32>, tensor<5x7xi32>, tensor<2x50xi32>, tensor<2x256xi32>, tensor<2x256xf32>, tensor<3x1xi32>, tensor<3x1xi32>, tensor<2x33xi32>, tensor<2x33xbf16>, tensor<2x20xi32>, tensor<2x20xui8>, tensor<2x40xi32>, tensor<2x40xf32>, tensor<4x75xi32>, tensor<2x100xi32>, tensor<2x100xi8>, tensor<2x3xi32>, tensor<2x3xf64>
}
