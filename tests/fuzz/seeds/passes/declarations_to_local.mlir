// RUN: --sdy-convert-global-to-local
// A function without a body has the types of one device, too.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
func.func private @g(tensor<8xf32>) -> tensor<4xf32>
