// Divisors that are not known: zero, minus one, the smallest and the largest numbers, and quotients next to whole numbers.
func.func @main(%n: tensor<8xi32>) -> (tensor<12x12xi32>, tensor<12x12xi32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi16>, tensor<8x8xui16>, tensor<4x4xi64>, tensor<100000xi32>) {
  %a = stablehlo.constant dense<[0, 1, -1, 2, -7, 3, 46341, 65536, 2147483647, 2147483646, -2147483648, -2147483647]> : tensor<12xi32>
  %z = stablehlo.slice %n [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  %z0 = stablehlo.reshape %z : (tensor<1xi32>) -> tensor<i32>
  %zero = stablehlo.subtract %z0, %z0 : tensor<i32>
  %zs = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<12xi32>
  %b = stablehlo.add %a, %zs : tensor<12xi32>
  %x = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<12xi32>) -> tensor<12x12xi32>
  %y = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<12xi32>) -> tensor<12x12xi32>
  %0 = stablehlo.divide %x, %y : tensor<12x12xi32>
  %1 = stablehlo.remainder %x, %y : tensor<12x12xi32>
  %ux = stablehlo.bitcast_convert %x : (tensor<12x12xi32>) -> tensor<12x12xui32>
  %uy = stablehlo.bitcast_convert %y : (tensor<12x12xi32>) -> tensor<12x12xui32>
  %2 = stablehlo.divide %ux, %uy : tensor<12x12xui32>
  %3 = stablehlo.remainder %ux, %uy : tensor<12x12xui32>
  %c = stablehlo.constant dense<[0, 1, -1, 3, -7, 127, -127, -128]> : tensor<8xi8>
  %z8 = stablehlo.convert %zero : (tensor<i32>) -> tensor<i8>
  %z8s = stablehlo.broadcast_in_dim %z8, dims = [] : (tensor<i8>) -> tensor<8xi8>
  %d = stablehlo.add %c, %z8s : tensor<8xi8>
  %x8 = stablehlo.broadcast_in_dim %d, dims = [0] : (tensor<8xi8>) -> tensor<8x8xi8>
  %y8 = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<8xi8>) -> tensor<8x8xi8>
  %4 = stablehlo.divide %x8, %y8 : tensor<8x8xi8>
  %5 = stablehlo.remainder %x8, %y8 : tensor<8x8xi8>
  %e = stablehlo.constant dense<[0, 1, -1, 3, 181, 32767, -32767, -32768]> : tensor<8xi16>
  %z16 = stablehlo.convert %zero : (tensor<i32>) -> tensor<i16>
  %z16s = stablehlo.broadcast_in_dim %z16, dims = [] : (tensor<i16>) -> tensor<8xi16>
  %f = stablehlo.add %e, %z16s : tensor<8xi16>
  %x16 = stablehlo.broadcast_in_dim %f, dims = [0] : (tensor<8xi16>) -> tensor<8x8xi16>
  %y16 = stablehlo.broadcast_in_dim %f, dims = [1] : (tensor<8xi16>) -> tensor<8x8xi16>
  %6 = stablehlo.divide %x16, %y16 : tensor<8x8xi16>
  %v16 = stablehlo.bitcast_convert %x16 : (tensor<8x8xi16>) -> tensor<8x8xui16>
  %w16 = stablehlo.bitcast_convert %y16 : (tensor<8x8xi16>) -> tensor<8x8xui16>
  %7 = stablehlo.divide %v16, %w16 : tensor<8x8xui16>
  %g = stablehlo.constant dense<[0, -1, 9223372036854775807, -9223372036854775808]> : tensor<4xi64>
  %z64 = stablehlo.convert %zero : (tensor<i32>) -> tensor<i64>
  %z64s = stablehlo.broadcast_in_dim %z64, dims = [] : (tensor<i64>) -> tensor<4xi64>
  %h = stablehlo.add %g, %z64s : tensor<4xi64>
  %x64 = stablehlo.broadcast_in_dim %h, dims = [0] : (tensor<4xi64>) -> tensor<4x4xi64>
  %y64 = stablehlo.broadcast_in_dim %h, dims = [1] : (tensor<4xi64>) -> tensor<4x4xi64>
  %8 = stablehlo.divide %x64, %y64 : tensor<4x4xi64>
  // (k * m - 1) / m and (k * m) / m, m = 21000 + i / 2
  %i = stablehlo.iota dim = 0 : tensor<100000xi32>
  %two = stablehlo.constant dense<2> : tensor<100000xi32>
  %base = stablehlo.constant dense<21000> : tensor<100000xi32>
  %many = stablehlo.constant dense<29000> : tensor<100000xi32>
  %half = stablehlo.divide %i, %two : tensor<100000xi32>
  %odd = stablehlo.remainder %i, %two : tensor<100000xi32>
  %m = stablehlo.add %half, %base : tensor<100000xi32>
  %km = stablehlo.multiply %m, %many : tensor<100000xi32>
  %near = stablehlo.subtract %km, %odd : tensor<100000xi32>
  %9 = stablehlo.divide %near, %m : tensor<100000xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<12x12xi32>, tensor<12x12xi32>, tensor<12x12xui32>, tensor<12x12xui32>, tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi16>, tensor<8x8xui16>, tensor<4x4xi64>, tensor<100000xi32>
}
