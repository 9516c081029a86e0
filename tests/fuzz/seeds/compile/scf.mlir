// Loops and branches on indices.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %p = arith.cmpi ult, %i, %c1 : index
    %n = scf.if %p -> (tensor<4xf32>) {
      %d = arith.addf %a, %a : tensor<4xf32>
      scf.yield %d : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
