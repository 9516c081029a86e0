// RUN: --emit-hlo
// Values that loops and branches take from outside become parts of a tuple; constants are written again.
func.func @main(%x: tensor<4xf32>, %step: tensor<4xf32>, %flag: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %y, %step : tensor<4xf32>
      %3 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<4xf32>
    }
  %1 = "stablehlo.if"(%flag) ({
    stablehlo.return %0#1 : tensor<4xf32>
  }, {
    %2 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %3 = call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- expect
HloModule main

region.13 {
  arg.6 = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
  part.7 = s32[] get-tuple-element(arg.6), index=0
  part.8 = f32[4]{0} get-tuple-element(arg.6), index=1
  part.9 = f32[4]{0} get-tuple-element(arg.6), index=2
  constant.10 = s32[] constant(10)
  compare.11 = pred[] compare(part.7, constant.10), direction=LT
  ROOT root.12 = pred[] copy(compare.11)
}

region.22 {
  arg.14 = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
  part.15 = s32[] get-tuple-element(arg.14), index=0
  part.16 = f32[4]{0} get-tuple-element(arg.14), index=1
  part.17 = f32[4]{0} get-tuple-element(arg.14), index=2
  add.18 = f32[4]{0} add(part.16, part.17)
  constant.19 = s32[] constant(1)
  add.20 = s32[] add(part.15, constant.19)
  ROOT tuple.21 = (s32[], f32[4]{0}, f32[4]{0}) tuple(add.20, add.18, part.17)
}

region.30 {
  arg.27 = (f32[4]{0}) parameter(0)
  part.28 = f32[4]{0} get-tuple-element(arg.27), index=0
  ROOT root.29 = f32[4]{0} copy(part.28)
}

region.36 {
  arg.32 = (f32[4]{0}) parameter(0)
  part.33 = f32[4]{0} get-tuple-element(arg.32), index=0
  negate.34 = f32[4]{0} negate(part.33)
  ROOT root.35 = f32[4]{0} copy(negate.34)
}

twice {
  a.39 = f32[4]{0} parameter(0)
  add.40 = f32[4]{0} add(a.39, a.39)
  ROOT root.41 = f32[4]{0} copy(add.40)
}

ENTRY main {
  x.0 = f32[4]{0} parameter(0)
  step.1 = f32[4]{0} parameter(1)
  flag.2 = pred[] parameter(2)
  constant.3 = s32[] constant(0)
  constant.4 = s32[] constant(10)
  constant.5 = s32[] constant(1)
  tuple.23 = (s32[], f32[4]{0}, f32[4]{0}) tuple(constant.3, x.0, step.1)
  while.24 = (s32[], f32[4]{0}, f32[4]{0}) while(tuple.23), condition=region.13, body=region.22
  part.25 = s32[] get-tuple-element(while.24), index=0
  part.26 = f32[4]{0} get-tuple-element(while.24), index=1
  tuple.31 = (f32[4]{0}) tuple(part.26)
  tuple.37 = (f32[4]{0}) tuple(x.0)
  conditional.38 = f32[4]{0} conditional(flag.2, tuple.31, tuple.37), true_computation=region.30, false_computation=region.36
  call.42 = f32[4]{0} call(conditional.38), to_apply=twice
  ROOT tuple.43 = (f32[4]{0}, f32[4]{0}) tuple(conditional.38, call.42)
}

