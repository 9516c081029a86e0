// RUN: not --export-gspmd
sdy.mesh @small = <["x"=2]>
sdy.mesh @large = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@small, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@large, [{"x"}]>}) {
  return
}
// ---- expect
two_device_counts.mlir:4:1: error: 'func.func' op is on a mesh with another number of devices than others
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@small, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@large, [{"x"}]>}) {
  ^
