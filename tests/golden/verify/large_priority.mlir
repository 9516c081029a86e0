// RUN: not --symbol-dce
// Priorities have 32 bits.
sdy.mesh @m = <["x"=2]>
func.func @right(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483647]>}) { return }
func.func @large(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483648]>}) { return }
// ---- expect
large_priority.mlir:5:79: error: priorities of more than 2147483647 are not supported
  func.func @large(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483648]>}) { return }
                                                                                ^
large_priority.mlir:5:79: error: custom op 'func.func' failed to parse Sdy_TensorSharding parameter 'dim_shardings' which is to be a `::llvm::ArrayRef<DimensionShardingAttr>`
  func.func @large(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2147483648]>}) { return }
                                                                                ^
