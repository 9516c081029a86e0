// RUN: shardc --print-after=buffers
// A cache that is no donated argument is copied before the loop that writes it: its devices copy whole rows, and all of
// them meet in front of the loop.
sdy.mesh @mesh = <["x"=4]>
func.func @main(
    %cache: tensor<1024x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
    %row: tensor<1x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>})
    -> (tensor<1024x8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, tensor<8x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %some = stablehlo.constant dense<0.0> : tensor<8x128xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %cache, %m = %some) : tensor<i32>, tensor<1024x8x128xf32>, tensor<8x128xf32>
    cond {
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %new = stablehlo.dynamic_update_slice %c, %row, %i, %zero, %zero : (tensor<1024x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1024x8x128xf32>
      %max = stablehlo.reduce(%new init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<1024x8x128xf32>, tensor<f32>) -> tensor<8x128xf32>
      %sum = stablehlo.add %m, %max : tensor<8x128xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %new, %sum : tensor<i32>, tensor<1024x8x128xf32>, tensor<8x128xf32>
    }
  return %0#1, %0#2 : tensor<1024x8x128xf32>, tensor<8x128xf32>
}
// ---- expect
// after buffers
// 4 devices, arena 1088 bytes, constants 0 bytes, scratch 0 bytes
// group 1: 0 0 0 0
b4:i32@1024 = loop reshape()  // kernel 0, grid 1, function 0
    b4[] = 0
    loops
result0[1024,2,128]f32 = loop reshape(arg0[1024,2,128]f32 of group 1)  // kernel 1, grid 64, function 1
    parallel i3:256
      parallel i4:4
        parallel i5:2
          parallel i6:128
            result0@(0)[i3 + r0*256, i4*2 + i5, i6] = arg0@(0)[i3 + r0*256, i4*2 + i5, i6]
    loops 0*1*2*3:262144 lanes
result1[2,128]f32 = loop reshape()  // kernel 2, grid 1, function 2
    parallel i0:2
      parallel i1:128
        result1[i0, i1] = 0
    loops 0*1:256 lanes
barrier 1
while {
    b8:i1@1028 = loop compare(b4:i32@1024)  // kernel 3, grid 1, function 3
        b8[] = (b4[] < 3)
        loops
    barrier 0
} test b8:i1@1028 do {
    result0[1024,2,128]f32 = update dynamic_update_slice(arg1[1,2,128]f32, b4:i32@1024)  // kernel 4, grid 1, function 4
        r1 = b4[] in 0 .. 1023
        parallel i1:2
          parallel i2:128
            result0[r1, i1, i2] = arg1[0, i1, i2]
        loops 1*2:256 lanes
    b4:i32@1024 = loop add(b4:i32@1024 in place)  // kernel 5, grid 1, function 5
        b4[] = (b4[] + 1)
        loops
    barrier 0
    b10[2,128]f32@0 = reduce reduce+add with epilogue(result1[2,128]f32, result0[1024,2,128]f32)  // kernel 6, grid 128, function 6
        parallel i0:2
          parallel i1:128
            fold f0 = maximum over i2:1024 of result0[i2, i0, i1] from -inf
            b10[i0, i1] = (result1[i0, i1] + f0)
        loops 0*1:256 lanes, fold by columns
    barrier 0
    result1[2,128]f32 = loop reshape(b10[2,128]f32@0)  // kernel 7, grid 1, function 7
        parallel i0:2
          parallel i1:128
            result1[i0, i1] = b10[i0, i1]
        loops 0*1:256 lanes
    barrier 0
}
