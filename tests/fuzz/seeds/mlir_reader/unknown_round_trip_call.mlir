module @m attributes {mhlo.frontend_attributes = {keep = "me", xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=2]>}"}, mhlo.num_partitions = 4 : i32} {
sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<8x8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22y\22}]>"}, mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) -> (tensor<8x8xf32> {mhlo.sharding = "{replicated}"}, tensor<8xf32>) {
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLoaalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%arg0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "#sdy<propagation_direction FORWARD>"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%3) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "7 : i64"}} : (tensor<8x8xf32>) -> ()
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.frontend_attribute.s = {xla.sdy.sharding = "#sdy.sharding_per_value<[<complex<f32>mesh, [{}, {\\\22y\\\22}]>]>"}, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%4) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = stablehlo.custom_call @foo(%5) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22y\22}]>]>", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=8}, custom>"}} : (tensor<8x8xf32>) -> tensor<8xf32>
    return %5, %6 : tensor<8x8xf32>, tensor<8xf32>
  }
  func.func @xla.sdy.manual_computation_body(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{}, {\22y\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22y\22}>"}} : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %1 = call @xla.sdy.manual_computation_body_0(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @has_side_effect(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22y\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{}, {\22y\22}]>]>"}} : (tensor<4x4xf32>) -> tensor<4x8xf32>
%z1865a = stablehlo.reshape %2 : (tensor<4x8xf32>) -> tensor<8x4xf32>
%z1865 = stablehlo.reshape %z1865a : (tensor<8x4xf32>) -> tensor<4x8xf32>
    return %arg0 : tensor<4x8xf32>
  }
  func.func @xla.sdy.manual_computation_body_0(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.sine %arg0 : tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
