// A two-layer MLP whose second weight is split along the wrong dimension: the hidden layer is gathered. `shardc explain` finds it;
// docs/explain.md walks through it. Printed by JAX 0.10.2 with debug information (lower(...).as_text(debug_info=True)) from
//
//    7   def mlp(x, up, down):
//    8       hidden = jax.nn.relu(x @ up)
//    9       return hidden @ down
//
// with in_shardings P('data', None), P(None, 'model'), P(None, 'model') and out_shardings P('data', None).
#loc = loc(unknown)
#loc1 = loc("x")
#loc2 = loc("up")
#loc3 = loc("down")
module @jit_mlp attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}} loc(#loc)
  func.func public @main(%arg0: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>} loc("x"), %arg1: tensor<128x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("up"), %arg2: tensor<512x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>} loc("down")) -> (tensor<64x128xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32> loc(#loc19)
    %1 = call @relu(%0) : (tensor<64x512xf32>) -> tensor<64x512xf32> loc(#loc20)
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32> loc(#loc21)
    return %2 : tensor<64x128xf32> loc(#loc18)
  } loc(#loc)
  func.func private @relu(%arg0: tensor<64x512xf32> loc(unknown)) -> tensor<64x512xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x512xf32> loc(#loc9)
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x512xf32> loc(#loc9)
    return %1 : tensor<64x512xf32> loc(#loc)
  } loc(#loc14)
} loc(#loc)
#loc4 = loc("mlp.py":8:25 to :31)
#loc5 = loc("mlp.py":12:6 to :18)
#loc6 = loc("mlp.py":8:13 to :32)
#loc7 = loc("mlp.py":9:11 to :24)
#loc8 = loc("jit")
#loc9 = loc("max")
#loc10 = loc("mlp"(#loc4))
#loc11 = loc("<module>"(#loc5))
#loc12 = loc("mlp"(#loc6))
#loc13 = loc("mlp"(#loc7))
#loc14 = loc("jit:"(#loc8))
#loc15 = loc(callsite(#loc10 at #loc11))
#loc16 = loc(callsite(#loc12 at #loc11))
#loc17 = loc(callsite(#loc13 at #loc11))
#loc18 = loc("jit(mlp)"(#loc11))
#loc19 = loc("jit(mlp)/dot_general"(#loc15))
#loc20 = loc("jit(mlp)/jit(relu)"(#loc16))
#loc21 = loc("jit(mlp)/dot_general"(#loc17))
