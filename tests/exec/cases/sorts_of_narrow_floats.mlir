// Keys of bf16, where -0 equals 0, and of a format without a sign, whose top bit is one of the exponent's.
func.func public @main() -> (tensor<5xbf16>, tensor<5xi32>, tensor<3xui8>) {
  %a = stablehlo.constant dense<[0.0, -0.0, 0x0001, -1.0, 0x8001]> : tensor<5xbf16>
  %i = stablehlo.iota dim = 0 : tensor<5xi32>
  %b = stablehlo.constant dense<[127, 129, 126, 128]> : tensor<4xui8>
  %c = stablehlo.bitcast_convert %b : (tensor<4xui8>) -> tensor<4xf8E8M0FNU>
  %0:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<bf16>, %q: tensor<bf16>, %r: tensor<i32>, %s: tensor<i32>):
    %t = stablehlo.compare LT, %p, %q, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }) : (tensor<5xbf16>, tensor<5xi32>) -> (tensor<5xbf16>, tensor<5xi32>)
  %values, %places = chlo.top_k(%c, k = 3) : tensor<4xf8E8M0FNU> -> (tensor<3xf8E8M0FNU>, tensor<3xi32>)
  %1 = stablehlo.bitcast_convert %values : (tensor<3xf8E8M0FNU>) -> tensor<3xui8>
  return %0#0, %0#1, %1 : tensor<5xbf16>, tensor<5xi32>, tensor<3xui8>
}
