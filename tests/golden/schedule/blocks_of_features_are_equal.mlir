// RUN: shardc --print-after=schedule
// The weights need three blocks of features, which would not be equal: four are. With eight images
// of four bands of rows each, that makes 128 chunks.
func.func @main(%a: tensor<8x12x12x512xf32>, %b: tensor<3x3x512x512xf32>) -> tensor<8x12x12x512xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x12x12x512xf32>, tensor<3x3x512x512xf32>) -> tensor<8x12x12x512xf32>
  return %0 : tensor<8x12x12x512xf32>
}
// ---- expect
// after schedule
// 1 devices
result0[8,12,12,512]f32 = conv convolution(arg0[8,12,12,512]f32, arg1[3,3,512,512]f32)  // kernel 0, grid 128
    convolution
