// RUN: --emit-hlo
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, tf.aliasing_output = 0 : i32}, %b: tensor<64xf32> {jax.buffer_donor = true}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<64x64xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<64x64xf32>
  %0 = stablehlo.multiply %w, %c : tensor<64x64xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {}]> : tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
// ---- expect
HloModule main, num_partitions=4, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }

ENTRY main {
  w.0 = f32[64,64]{1,0} parameter(0), sharding={devices=[2,2]<=[4]}
  b.1 = f32[64]{0} parameter(1)
  constant.2 = f32[] constant(2)
  broadcast.3 = f32[64,64]{1,0} broadcast(constant.2), dimensions={}
  multiply.4 = f32[64,64]{1,0} multiply(w.0, broadcast.3)
  custom-call.5 = f32[64,64]{1,0} custom-call(multiply.4), custom_call_target="Sharding", sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  ROOT tuple.6 = (f32[64,64]{1,0}, f32[64,64]{1,0}) tuple(multiply.4, custom-call.5), sharding={{devices=[2,2]<=[4]}, {unknown}}
}

