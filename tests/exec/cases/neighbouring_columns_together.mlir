// Few rows and many columns: a lane's chunks of columns are packed together, over several blocks of K; the last window ends with the last column.
// tolerance: 2e-3
func.func @main(%a: tensor<2x12x700xbf16>, %b: tensor<2x700x1000xbf16>, %c: tensor<50x900xbf16>, %d: tensor<1100x900xbf16>, %e: tensor<40x1030xf32>, %f: tensor<1030x660xf32>, %g: tensor<17x600xi8>, %h: tensor<600x1000xi8>, %i: tensor<45x1040xf64>, %j: tensor<330x1040xf64>) -> (tensor<2x12x1000xf32>, tensor<50x1100xf32>, tensor<40x660xf32>, tensor<17x1000xi32>, tensor<45x330xf64>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x12x700xbf16>, tensor<2x700x1000xbf16>) -> tensor<2x12x1000xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [1] : (tensor<50x900xbf16>, tensor<1100x900xbf16>) -> tensor<50x1100xf32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<40x1030xf32>, tensor<1030x660xf32>) -> tensor<40x660xf32>
  %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0] : (tensor<17x600xi8>, tensor<600x1000xi8>) -> tensor<17x1000xi32>
  %4 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [1] : (tensor<45x1040xf64>, tensor<330x1040xf64>) -> tensor<45x330xf64>
  return %0, %1, %2, %3, %4 : tensor<2x12x1000xf32>, tensor<50x1100xf32>, tensor<40x660xf32>, tensor<17x1000xi32>, tensor<45x330xf64>
}
