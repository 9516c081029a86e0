// Products of numbers of one and two bytes whose rows and columns do not fill tile registers, along k and across it.
// tolerance: 0.004
func.func @main(%a0: tensor<144x80xbf16>, %b0: tensor<144x16xbf16>, %a1: tensor<12x700xbf16>, %b1: tensor<200x700xbf16>, %a2: tensor<2x31x1300xbf16>, %b2: tensor<2x96x1300xbf16>, %a3: tensor<20x130xi8>, %b3: tensor<48x130xi8>, %a4: tensor<50x70xbf16>, %b4: tensor<70x16xbf16>, %a5: tensor<33x100xi8>, %b5: tensor<33x10xi8>, %a6: tensor<17x1400xbf16>, %b6: tensor<1400x33xbf16>, %a7: tensor<350x96xbf16>, %b7: tensor<96x340xbf16>, %a8: tensor<40x700xi8>, %b8: tensor<40x700xi8>) -> (tensor<80x16xf32>, tensor<12x200xf32>, tensor<2x31x96xf32>, tensor<20x48xi32>, tensor<50x16xf32>, tensor<100x10xi32>, tensor<17x33xf32>, tensor<350x340xbf16>, tensor<40x40xi32>) {
  %0 = stablehlo.dot_general %a0, %b0, contracting_dims = [0] x [0] : (tensor<144x80xbf16>, tensor<144x16xbf16>) -> tensor<80x16xf32>
  %1 = stablehlo.dot_general %a1, %b1, contracting_dims = [1] x [1] : (tensor<12x700xbf16>, tensor<200x700xbf16>) -> tensor<12x200xf32>
  %2 = stablehlo.dot_general %a2, %b2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x31x1300xbf16>, tensor<2x96x1300xbf16>) -> tensor<2x31x96xf32>
  %3 = stablehlo.dot_general %a3, %b3, contracting_dims = [1] x [1] : (tensor<20x130xi8>, tensor<48x130xi8>) -> tensor<20x48xi32>
  %4 = stablehlo.dot_general %a4, %b4, contracting_dims = [1] x [0] : (tensor<50x70xbf16>, tensor<70x16xbf16>) -> tensor<50x16xf32>
  %5 = stablehlo.dot_general %a5, %b5, contracting_dims = [0] x [0] : (tensor<33x100xi8>, tensor<33x10xi8>) -> tensor<100x10xi32>
  %6 = stablehlo.dot_general %a6, %b6, contracting_dims = [1] x [0] : (tensor<17x1400xbf16>, tensor<1400x33xbf16>) -> tensor<17x33xf32>
  %7 = stablehlo.dot_general %a7, %b7, contracting_dims = [1] x [0] : (tensor<350x96xbf16>, tensor<96x340xbf16>) -> tensor<350x340xbf16>
  %8 = stablehlo.dot_general %a8, %b8, contracting_dims = [1] x [1] : (tensor<40x700xi8>, tensor<40x700xi8>) -> tensor<40x40xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<80x16xf32>, tensor<12x200xf32>, tensor<2x31x96xf32>, tensor<20x48xi32>, tensor<50x16xf32>, tensor<100x10xi32>, tensor<17x33xf32>, tensor<350x340xbf16>, tensor<40x40xi32>
}
