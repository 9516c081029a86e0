// RUN: --sdy-propagation-pipeline --shardc-separate-unreduced --shardc-insert-reshards
// Constraints that leave values unreduced which no op sums: as copies they would be counted once per device.
// tolerance: 0.00001
sdy.mesh @mesh = <["w"=4, "x"=2]>
func.func @main(%a: tensor<f32>, %b: tensor<24x1xf32>, %c: tensor<6x2x6xi32>, %d: tensor<9x9xi32>, %e: tensor<9x4xi32>, %f: tensor<1xi8>) -> (tensor<1xi8>, tensor<f32>, tensor<24x1xf32>, tensor<6x3x6xi32>, tensor<9x9xi32>, tensor<9x4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.tanh %a : tensor<f32>
  %1 = sdy.sharding_constraint %0 <@mesh, [], replicated={"w"}, unreduced={"x"}> : tensor<f32>
%z72323 = sdy.sharding_constraint %b <@mesh, [{"x", "w":(1)2}, {}]> : tensor<24x1xf32>
  %3 = sdy.sharding_constraint %z72323 <@mesh, [{}, {"w"}], unreduced={"x"}> : tensor<24x1xf32>
  %4 = "stablehlo.reduce_window"(%c, %zero) <{padding = dense<[[0, 0], [2, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 2, 1>}> ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<6x2x6xi32>, tensor<i32>) -> tensor<6x3x6xi32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"w":(1)2}, {?}, {}]> : tensor<6x3x6xi32>
  %6 = "stGblehlo.select_and_scatter"(%d, %e, %zero) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %t = stablehlo.compare GE, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
%wt = stablehlo.constant dense<false> : tensor<i1>
%z33622 = stablehlo.while(%w = %t) : tensor<i1>
  cond {
    stablehlo.return %wt : tensor<i1>
  } do {
    stablehlo.return %w : tensor<i1>
  }
%z2821 = stablehlo.compare GE, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %s = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<9x9xi32>, tensor<9x4xi32>, tensor<i32>) -> tensor<9x9xi32>
  %7 = sdy.sharding_constraint %6 <@mesh, [{}, {}], unreduced={"w":(2)2}> : tensor<9x9xi32>
%z80070a = stablehlo.reshape %7 : (tensor<9x9xi32>) -> tensor<9x9xi32>
%z33739 = stablehlo.add %z80070a, %z80070a : tensor<9x9xi32>
%z80070 = stablehlo.reshape %z80070a : (tensor<9x9xi32>) -> tensor<9x9xi32>
  %8 = sdy.propagation_barrier %f allowed_direction=NONE : tensor<1xi8>
  %9 = sdy.sharding_constraint %8 <@mesh, [{"x", "w", ?}]> : tensor<1xi8>
%z17722 = sdy.sharding_constraint %8 <@mesh, [{"w"}], unreduced={"x"}> : tensor<1xi8>
  return %9, %1, %3, %5, %z80070, %e : tensor<1xi8>, tensor<f32>, tensor<24x1xf32>, tensor<6x3x6xi32>, tensor<9x9xi32>, tensor<9x4xi32>
}
