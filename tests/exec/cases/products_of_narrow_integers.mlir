// Integers of 8 and 16 bits with few rows: memory along k and along lines, transposed, the large operand on either side, batches, incomplete vectors of k's and of
// lines, several groups of rows; and short products of small matrices in batches; products in several blocks of
// K, and convolutions.
// tolerance: 1e-5
func.func @main(%a0: tensor<16x300xi8>, %b0: tensor<200x300xi8>, %a1: tensor<16x300xi8>, %b1: tensor<300x200xi8>, %a2: tensor<1x515xi8>, %b2: tensor<515x97xi8>, %a3: tensor<150x257xi8>, %b3: tensor<257x7xi8>, %a4: tensor<3x24x130xui8>, %b4: tensor<3x130x170xui8>, %a5: tensor<5x129xui8>, %b5: tensor<90x129xui8>, %a6: tensor<9x70xi16>, %b6: tensor<70x100xi16>, %a7: tensor<258x150xi8>, %b7: tensor<258x11xi8>, %a8: tensor<6x32x32xi8>, %b8: tensor<6x32x32xi8>, %a9: tensor<4x16x40xf32>, %b9: tensor<4x30x40xf32>, %a10: tensor<4x20x33xbf16>, %b10: tensor<4x33x50xbf16>, %a11: tensor<70x1301xi8>, %b11: tensor<1301x75xi8>, %a12: tensor<2x9x11x8xi8>, %b12: tensor<3x3x8x40xi8>, %a13: tensor<2x5x3x16xi8>, %b13: tensor<3x3x16x40xi8>) -> (tensor<16x200xi32>, tensor<16x200xi32>, tensor<1x97xi32>, tensor<150x7xi32>, tensor<3x24x170xi32>, tensor<5x90xi32>, tensor<9x100xi32>, tensor<150x11xi32>, tensor<6x32x32xi32>, tensor<4x16x30xf32>, tensor<4x20x50xf32>, tensor<70x75xi32>, tensor<2x9x11x40xi32>, tensor<2x5x3x40xi32>) {
%0 = stablehlo.dot_general %a0, %b0, contracting_dims = [1] x [1] : (tensor<16x300xi8>, tensor<200x300xi8>) -> tensor<16x200xi32>
%1 = stablehlo.dot_general %a1, %b1, contracting_dims = [1] x [0] : (tensor<16x300xi8>, tensor<300x200xi8>) -> tensor<16x200xi32>
%2 = stablehlo.dot_general %a2, %b2, contracting_dims = [1] x [0] : (tensor<1x515xi8>, tensor<515x97xi8>) -> tensor<1x97xi32>
%3 = stablehlo.dot_general %a3, %b3, contracting_dims = [1] x [0] : (tensor<150x257xi8>, tensor<257x7xi8>) -> tensor<150x7xi32>
%4 = stablehlo.dot_general %a4, %b4, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x24x130xui8>, tensor<3x130x170xui8>) -> tensor<3x24x170xi32>
%5 = stablehlo.dot_general %a5, %b5, contracting_dims = [1] x [1] : (tensor<5x129xui8>, tensor<90x129xui8>) -> tensor<5x90xi32>
%6 = stablehlo.dot_general %a6, %b6, contracting_dims = [1] x [0] : (tensor<9x70xi16>, tensor<70x100xi16>) -> tensor<9x100xi32>
%7 = stablehlo.dot_general %a7, %b7, contracting_dims = [0] x [0] : (tensor<258x150xi8>, tensor<258x11xi8>) -> tensor<150x11xi32>
%8 = stablehlo.dot_general %a8, %b8, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<6x32x32xi8>, tensor<6x32x32xi8>) -> tensor<6x32x32xi32>
%9 = stablehlo.dot_general %a9, %b9, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x16x40xf32>, tensor<4x30x40xf32>) -> tensor<4x16x30xf32>
%10 = stablehlo.dot_general %a10, %b10, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x20x33xbf16>, tensor<4x33x50xbf16>) -> tensor<4x20x50xf32>
%11 = stablehlo.dot_general %a11, %b11, contracting_dims = [1] x [0] : (tensor<70x1301xi8>, tensor<1301x75xi8>) -> tensor<70x75xi32>
%12 = stablehlo.convolution(%a12, %b12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x11x8xi8>, tensor<3x3x8x40xi8>) -> tensor<2x9x11x40xi32>
%13 = stablehlo.convolution(%a13, %b13) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x3x16xi8>, tensor<3x3x16x40xi8>) -> tensor<2x5x3x40xi32>
return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<16x200xi32>, tensor<16x200xi32>, tensor<1x97xi32>, tensor<150x7xi32>, tensor<3x24x170xi32>, tensor<5x90xi32>, tensor<9x100xi32>, tensor<150x11xi32>, tensor<6x32x32xi32>, tensor<4x16x30xf32>, tensor<4x20x50xf32>, tensor<70x75xi32>, tensor<2x9x11x40xi32>, tensor<2x5x3x40xi32>
}
