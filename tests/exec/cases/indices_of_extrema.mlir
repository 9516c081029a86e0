// tolerance: 0
// Indices of greatest and least elements in lanes: ties, several NaNs, the forms of bodies that JAX and PyTorch write, few elements and rests.
func.func @main(%x0: tensor<5x1000xf32>, %x1: tensor<3x333xf32>, %x2: tensor<2x31xf32>, %x3: tensor<2x33xf32>, %x4: tensor<4x200xf32>, %x5: tensor<3x127xf32>, %x6: tensor<3x500xf32>, %x7: tensor<4x150xf32>, %x8: tensor<4x150xf32>, %x9: tensor<2x300xf32>) -> (tensor<5xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {
  %c0 = stablehlo.constant dense<40.0> : tensor<5x1000xf32>
  %m0 = stablehlo.multiply %x0, %c0 : tensor<5x1000xf32>
  %r0 = stablehlo.round_nearest_even %m0 : tensor<5x1000xf32>
  %h0 = stablehlo.constant dense<9.3> : tensor<5x1000xf32>
  %q0 = stablehlo.compare GT, %r0, %h0 : (tensor<5x1000xf32>, tensor<5x1000xf32>) -> tensor<5x1000xi1>
  %z0 = stablehlo.subtract %m0, %m0 : tensor<5x1000xf32>
  %u0 = stablehlo.divide %z0, %z0 : tensor<5x1000xf32>
  %s0 = stablehlo.select %q0, %u0, %r0 : tensor<5x1000xi1>, tensor<5x1000xf32>
  %v0 = stablehlo.convert %s0 : (tensor<5x1000xf32>) -> tensor<5x1000xf32>
  %i0 = stablehlo.iota dim = 1 : tensor<5x1000xi32>
  %t0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k0 = stablehlo.constant dense<0> : tensor<i32>
  %o0:2 = stablehlo.reduce(%v0 init: %t0), (%i0 init: %k0) across dimensions = [1] : (tensor<5x1000xf32>, tensor<5x1000xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %a = stablehlo.and %e, %l : tensor<i1>
    %p = stablehlo.or %o, %a : tensor<i1>
    %x = stablehlo.select %o, %v, %w : tensor<i1>, tensor<f32>
    %y = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<f32>, tensor<i32>
  }
  %c1 = stablehlo.constant dense<40.0> : tensor<3x333xf32>
  %m1 = stablehlo.multiply %x1, %c1 : tensor<3x333xf32>
  %r1 = stablehlo.round_nearest_even %m1 : tensor<3x333xf32>
  %h1 = stablehlo.constant dense<9.3> : tensor<3x333xf32>
  %q1 = stablehlo.compare GT, %r1, %h1 : (tensor<3x333xf32>, tensor<3x333xf32>) -> tensor<3x333xi1>
  %z1 = stablehlo.subtract %m1, %m1 : tensor<3x333xf32>
  %u1 = stablehlo.divide %z1, %z1 : tensor<3x333xf32>
  %s1 = stablehlo.select %q1, %u1, %r1 : tensor<3x333xi1>, tensor<3x333xf32>
  %v1 = stablehlo.convert %s1 : (tensor<3x333xf32>) -> tensor<3x333xf32>
  %i1 = stablehlo.iota dim = 1 : tensor<3x333xi32>
  %t1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %k1 = stablehlo.constant dense<0> : tensor<i32>
  %o1:2 = stablehlo.reduce(%v1 init: %t1), (%i1 init: %k1) across dimensions = [1] : (tensor<3x333xf32>, tensor<3x333xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare LT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %a = stablehlo.and %e, %l : tensor<i1>
    %p = stablehlo.or %o, %a : tensor<i1>
    %x = stablehlo.select %o, %v, %w : tensor<i1>, tensor<f32>
    %y = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<f32>, tensor<i32>
  }
  %c2 = stablehlo.constant dense<40.0> : tensor<2x31xf32>
  %m2 = stablehlo.multiply %x2, %c2 : tensor<2x31xf32>
  %r2 = stablehlo.round_nearest_even %m2 : tensor<2x31xf32>
  %h2 = stablehlo.constant dense<9.3> : tensor<2x31xf32>
  %q2 = stablehlo.compare GT, %r2, %h2 : (tensor<2x31xf32>, tensor<2x31xf32>) -> tensor<2x31xi1>
  %z2 = stablehlo.subtract %m2, %m2 : tensor<2x31xf32>
  %u2 = stablehlo.divide %z2, %z2 : tensor<2x31xf32>
  %s2 = stablehlo.select %q2, %u2, %r2 : tensor<2x31xi1>, tensor<2x31xf32>
  %v2 = stablehlo.convert %s2 : (tensor<2x31xf32>) -> tensor<2x31xf32>
  %i2 = stablehlo.iota dim = 1 : tensor<2x31xi32>
  %t2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k2 = stablehlo.constant dense<0> : tensor<i32>
  %o2:2 = stablehlo.reduce(%v2 init: %t2), (%i2 init: %k2) across dimensions = [1] : (tensor<2x31xf32>, tensor<2x31xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.compare NE, %v, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %a = stablehlo.and %e, %l : tensor<i1>
    %p = stablehlo.or %o, %a : tensor<i1>
    %x = stablehlo.select %o, %v, %w : tensor<i1>, tensor<f32>
    %y = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<f32>, tensor<i32>
  }
  %c3 = stablehlo.constant dense<40.0> : tensor<2x33xf32>
  %m3 = stablehlo.multiply %x3, %c3 : tensor<2x33xf32>
  %r3 = stablehlo.round_nearest_even %m3 : tensor<2x33xf32>
  %s3 = stablehlo.abs %r3 : tensor<2x33xf32>
  %v3 = stablehlo.convert %s3 : (tensor<2x33xf32>) -> tensor<2x33xf32>
  %i3 = stablehlo.iota dim = 1 : tensor<2x33xi32>
  %t3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k3 = stablehlo.constant dense<0> : tensor<i32>
  %o3:2 = stablehlo.reduce(%v3 init: %t3), (%i3 init: %k3) across dimensions = [1] : (tensor<2x33xf32>, tensor<2x33xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GE, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %x = stablehlo.select %g, %v, %w : tensor<i1>, tensor<f32>
    %e = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.minimum %i, %j : tensor<i32>
    %y = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    %z = stablehlo.select %e, %m, %y : tensor<i1>, tensor<i32>
    stablehlo.return %x, %z : tensor<f32>, tensor<i32>
  }
  %c4 = stablehlo.constant dense<40.0> : tensor<4x200xf32>
  %m4 = stablehlo.multiply %x4, %c4 : tensor<4x200xf32>
  %r4 = stablehlo.round_nearest_even %m4 : tensor<4x200xf32>
  %s4 = stablehlo.abs %r4 : tensor<4x200xf32>
  %v4 = stablehlo.convert %s4 : (tensor<4x200xf32>) -> tensor<4x200xi32>
  %i4 = stablehlo.iota dim = 1 : tensor<4x200xi32>
  %t4 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %k4 = stablehlo.constant dense<0> : tensor<i32>
  %o4:2 = stablehlo.reduce(%v4 init: %t4), (%i4 init: %k4) across dimensions = [1] : (tensor<4x200xi32>, tensor<4x200xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
   reducer(%v: tensor<i32>, %w: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GE, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %x = stablehlo.select %g, %v, %w : tensor<i1>, tensor<i32>
    %e = stablehlo.compare EQ, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.minimum %i, %j : tensor<i32>
    %y = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    %z = stablehlo.select %e, %m, %y : tensor<i1>, tensor<i32>
    stablehlo.return %x, %z : tensor<i32>, tensor<i32>
  }
  %c5 = stablehlo.constant dense<40.0> : tensor<3x127xf32>
  %m5 = stablehlo.multiply %x5, %c5 : tensor<3x127xf32>
  %r5 = stablehlo.round_nearest_even %m5 : tensor<3x127xf32>
  %s5 = stablehlo.abs %r5 : tensor<3x127xf32>
  %v5 = stablehlo.convert %s5 : (tensor<3x127xf32>) -> tensor<3x127xf64>
  %i5 = stablehlo.iota dim = 1 : tensor<3x127xi32>
  %t5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %k5 = stablehlo.constant dense<0> : tensor<i32>
  %o5:2 = stablehlo.reduce(%v5 init: %t5), (%i5 init: %k5) across dimensions = [1] : (tensor<3x127xf64>, tensor<3x127xi32>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xi32>)
   reducer(%v: tensor<f64>, %w: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare LE, %v, %w, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %x = stablehlo.select %g, %v, %w : tensor<i1>, tensor<f64>
    %e = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %m = stablehlo.minimum %i, %j : tensor<i32>
    %y = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    %z = stablehlo.select %e, %m, %y : tensor<i1>, tensor<i32>
    stablehlo.return %x, %z : tensor<f64>, tensor<i32>
  }
  %c6 = stablehlo.constant dense<40.0> : tensor<3x500xf32>
  %m6 = stablehlo.multiply %x6, %c6 : tensor<3x500xf32>
  %r6 = stablehlo.round_nearest_even %m6 : tensor<3x500xf32>
  %h6 = stablehlo.constant dense<9.3> : tensor<3x500xf32>
  %q6 = stablehlo.compare GT, %r6, %h6 : (tensor<3x500xf32>, tensor<3x500xf32>) -> tensor<3x500xi1>
  %z6 = stablehlo.subtract %m6, %m6 : tensor<3x500xf32>
  %u6 = stablehlo.divide %z6, %z6 : tensor<3x500xf32>
  %s6 = stablehlo.select %q6, %u6, %r6 : tensor<3x500xi1>, tensor<3x500xf32>
  %v6 = stablehlo.convert %s6 : (tensor<3x500xf32>) -> tensor<3x500xbf16>
  %i6 = stablehlo.iota dim = 1 : tensor<3x500xi32>
  %t6 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %k6 = stablehlo.constant dense<0> : tensor<i32>
  %o6:2 = stablehlo.reduce(%v6 init: %t6), (%i6 init: %k6) across dimensions = [1] : (tensor<3x500xbf16>, tensor<3x500xi32>, tensor<bf16>, tensor<i32>) -> (tensor<3xbf16>, tensor<3xi32>)
   reducer(%v: tensor<bf16>, %w: tensor<bf16>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GT, %v, %w, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %n = stablehlo.compare NE, %v, %v, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %o = stablehlo.or %g, %n : tensor<i1>
    %e = stablehlo.compare EQ, %v, %w, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    %l = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %a = stablehlo.and %e, %l : tensor<i1>
    %p = stablehlo.or %o, %a : tensor<i1>
    %x = stablehlo.select %o, %v, %w : tensor<i1>, tensor<bf16>
    %y = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<bf16>, tensor<i32>
  }
  %c7 = stablehlo.constant dense<40.0> : tensor<4x150xf32>
  %m7 = stablehlo.multiply %x7, %c7 : tensor<4x150xf32>
  %r7 = stablehlo.round_nearest_even %m7 : tensor<4x150xf32>
  %s7 = stablehlo.abs %r7 : tensor<4x150xf32>
  %v7 = stablehlo.convert %s7 : (tensor<4x150xf32>) -> tensor<4x150xf32>
  %i7 = stablehlo.iota dim = 1 : tensor<4x150xi32>
  %t7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k7 = stablehlo.constant dense<0> : tensor<i32>
  %o7:2 = stablehlo.reduce(%v7 init: %t7), (%i7 init: %k7) across dimensions = [1] : (tensor<4x150xf32>, tensor<4x150xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GE, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %x = stablehlo.select %g, %v, %w : tensor<i1>, tensor<f32>
    %y = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<f32>, tensor<i32>
  }
  %c8 = stablehlo.constant dense<40.0> : tensor<4x150xf32>
  %m8 = stablehlo.multiply %x8, %c8 : tensor<4x150xf32>
  %r8 = stablehlo.round_nearest_even %m8 : tensor<4x150xf32>
  %s8 = stablehlo.abs %r8 : tensor<4x150xf32>
  %v8 = stablehlo.convert %s8 : (tensor<4x150xf32>) -> tensor<4x150xf32>
  %i8 = stablehlo.iota dim = 1 : tensor<4x150xi32>
  %t8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k8 = stablehlo.constant dense<0> : tensor<i32>
  %o8:2 = stablehlo.reduce(%v8 init: %t8), (%i8 init: %k8) across dimensions = [1] : (tensor<4x150xf32>, tensor<4x150xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare GT, %v, %w, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %x = stablehlo.select %g, %v, %w : tensor<i1>, tensor<f32>
    %y = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<f32>, tensor<i32>
  }
  %c9 = stablehlo.constant dense<40.0> : tensor<2x300xf32>
  %m9 = stablehlo.multiply %x9, %c9 : tensor<2x300xf32>
  %r9 = stablehlo.round_nearest_even %m9 : tensor<2x300xf32>
  %s9 = stablehlo.abs %r9 : tensor<2x300xf32>
  %v9 = stablehlo.convert %s9 : (tensor<2x300xf32>) -> tensor<2x300xui8>
  %i9 = stablehlo.iota dim = 1 : tensor<2x300xi32>
  %t9 = stablehlo.constant dense<255> : tensor<ui8>
  %k9 = stablehlo.constant dense<0> : tensor<i32>
  %o9:2 = stablehlo.reduce(%v9 init: %t9), (%i9 init: %k9) across dimensions = [1] : (tensor<2x300xui8>, tensor<2x300xi32>, tensor<ui8>, tensor<i32>) -> (tensor<2xui8>, tensor<2xi32>)
   reducer(%v: tensor<ui8>, %w: tensor<ui8>) (%i: tensor<i32>, %j: tensor<i32>) {
    %g = stablehlo.compare LE, %v, %w, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %x = stablehlo.select %g, %v, %w : tensor<i1>, tensor<ui8>
    %y = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %x, %y : tensor<ui8>, tensor<i32>
  }
  return %o0#1, %o1#1, %o2#1, %o3#1, %o4#1, %o5#1, %o6#1, %o7#1, %o8#1, %o9#1 : tensor<5xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>
}
