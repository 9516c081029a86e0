// RUN: not --symbol-dce
// Priorities have 32 bits.
sdy.mesh @m = <["x"=2]>
func.func @right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483647]>}) { return }
func.func @large(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483648]>}) { return }
// ---- expect
large_priority.mlir:5:79: error: priorities of more than 2147483647 are not supported
  func.func @large(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483648]>}) { return }
                                                                                ^
