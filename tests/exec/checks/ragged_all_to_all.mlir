// Rows that devices send to each other, as many as other arrays say.
sdy.mesh @three = <["x"=3]>
// Device s sends s + d rows of its five to device d, whose output has the rows of devices 0, 1, 2 in this order; the rest stays.
func.func @all_devices() {
  %rows = stablehlo.iota dim = 0 : tensor<15x2xi32>
  %output = stablehlo.constant dense<-1> : tensor<21x2xi32>
  %from = stablehlo.constant dense<[0, 0, 1, 0, 1, 3, 0, 2, 2]> : tensor<9xi32>
  %sizes = stablehlo.constant dense<[0, 1, 2, 1, 2, 2, 2, 2, 3]> : tensor<9xi32>
  %to = stablehlo.constant dense<[0, 0, 0, 0, 1, 2, 1, 3, 4]> : tensor<9xi32>
  %received = stablehlo.constant dense<[0, 1, 2, 1, 2, 2, 2, 2, 3]> : tensor<9xi32>
  %all = sdy.manual_computation(%rows, %output, %from, %sizes, %to, %received)
      in_shardings=[<@three, [{"x"}, {}]>, <@three, [{"x"}, {}]>, <@three, [{"x"}]>, <@three, [{"x"}]>, <@three, [{"x"}]>, <@three, [{"x"}]>]
      out_shardings=[<@three, [{"x"}, {}]>] manual_axes={"x"}
      (%r: tensor<5x2xi32>, %o: tensor<7x2xi32>, %f: tensor<3xi32>, %s: tensor<3xi32>, %t: tensor<3xi32>, %n: tensor<3xi32>) {
    %0 = stablehlo.custom_call @ragged_all_to_all(%r, %o, %f, %s, %t, %n) {api_version = 4 : i32,
        backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}}
        : (tensor<5x2xi32>, tensor<7x2xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<7x2xi32>
    sdy.return %0 : tensor<7x2xi32>
  } : (tensor<15x2xi32>, tensor<21x2xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) -> tensor<21x2xi32>
  %column = stablehlo.slice %all [0:21, 1:2] : (tensor<21x2xi32>) -> tensor<21x1xi32>
  %flat = stablehlo.reshape %column : (tensor<21x1xi32>) -> tensor<21xi32>
  check.expect_eq_const %flat, dense<[5, 10, 11, -1, -1, -1, -1, 0, 6, 7, 12, 13, -1, -1, 1, 2, 8, 9, 12, 13, 14]> : tensor<21xi32>
  return
}
