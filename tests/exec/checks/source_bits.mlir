// i1 is one bit to arith: the numbers 0 and -1, or 0 and 1 without sign.
func.func @bits() {
  %a = arith.constant dense<[false, false, true, true]> : tensor<4xi1>
  %b = arith.constant dense<[false, true, false, true]> : tensor<4xi1>
  %addi = arith.addi %a, %b : tensor<4xi1>
  check.expect_eq_const %addi, dense<[false, true, true, false]> : tensor<4xi1>
  %subi = arith.subi %a, %b : tensor<4xi1>
  check.expect_eq_const %subi, dense<[false, true, true, false]> : tensor<4xi1>
  %muli = arith.muli %a, %b : tensor<4xi1>
  check.expect_eq_const %muli, dense<[false, false, false, true]> : tensor<4xi1>
  %maxsi = arith.maxsi %a, %b : tensor<4xi1>
  check.expect_eq_const %maxsi, dense<[false, false, false, true]> : tensor<4xi1>
  %minsi = arith.minsi %a, %b : tensor<4xi1>
  check.expect_eq_const %minsi, dense<[false, true, true, true]> : tensor<4xi1>
  %maxui = arith.maxui %a, %b : tensor<4xi1>
  check.expect_eq_const %maxui, dense<[false, true, true, true]> : tensor<4xi1>
  %minui = arith.minui %a, %b : tensor<4xi1>
  check.expect_eq_const %minui, dense<[false, false, false, true]> : tensor<4xi1>
  %slt = arith.cmpi slt, %a, %b : tensor<4xi1>
  check.expect_eq_const %slt, dense<[false, false, true, false]> : tensor<4xi1>
  %sge = arith.cmpi sge, %a, %b : tensor<4xi1>
  check.expect_eq_const %sge, dense<[true, true, false, true]> : tensor<4xi1>
  %ult = arith.cmpi ult, %a, %b : tensor<4xi1>
  check.expect_eq_const %ult, dense<[false, true, false, false]> : tensor<4xi1>
  return
}
// The sum of bits is their parity, the signed maximum says whether all are set, the unsigned one whether any is.
func.func @reductions() {
  %a = arith.constant dense<[[false, true, true, true], [true, true, true, true]]> : tensor<2x4xi1>
  %no = arith.constant dense<false> : tensor<2xi1>
  %yes = arith.constant dense<true> : tensor<2xi1>
  %sum = linalg.reduce ins(%a : tensor<2x4xi1>) outs(%no : tensor<2xi1>) dimensions = [1]
    (%x: i1, %y: i1) { %0 = arith.addi %x, %y : i1 linalg.yield %0 : i1 }
  check.expect_eq_const %sum, dense<[true, false]> : tensor<2xi1>
  %all = linalg.reduce ins(%a : tensor<2x4xi1>) outs(%yes : tensor<2xi1>) dimensions = [1]
    (%x: i1, %y: i1) { %0 = arith.maxsi %x, %y : i1 linalg.yield %0 : i1 }
  check.expect_eq_const %all, dense<[false, true]> : tensor<2xi1>
  %any = linalg.reduce ins(%a : tensor<2x4xi1>) outs(%no : tensor<2xi1>) dimensions = [1]
    (%x: i1, %y: i1) { %0 = arith.maxui %x, %y : i1 linalg.yield %0 : i1 }
  check.expect_eq_const %any, dense<true> : tensor<2xi1>
  return
}
