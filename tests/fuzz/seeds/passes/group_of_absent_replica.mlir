// Groups of more devices than there are.
func.func @main(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> (tensor<12x4xf32>, tensor<12x4xf32>) {
  %p:2 = "stablehlo.all_to_all"(%x, %y) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<6x8xf32>, tensor<6x8xf32>) -> (tensor<12x4xf32>, tensor<12x4xf32>)
  return %p#0, %p#1 : tensor<12x4xf32>, tensor<12x4xf32>
}
