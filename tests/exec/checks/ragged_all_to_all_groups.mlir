// Rows between devices of groups.
sdy.mesh @four = <["x"=2, "y"=2]>
// Two groups of two; two pieces for each device of the group; numbers of floats, and offsets of 64 bits.
func.func @groups_and_pieces() {
  %rows = stablehlo.constant dense<[0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 20.0, 21.0, 22.0, 30.0, 31.0, 32.0]> : tensor<12xf32>
  %output = stablehlo.constant dense<7.0> : tensor<16xf32>
  %from = stablehlo.constant dense<[2, 0, 1, 1, 0, 1, 2, 0, 0, 0, 0, 0, 1, 1, 1, 1]> : tensor<16xi64>
  %sizes = stablehlo.constant dense<[1, 1, 1, 0, 1, 1, 1, 2, 0, 3, 1, 0, 1, 0, 2, 1]> : tensor<16xi64>
  %to = stablehlo.constant dense<[0, 1, 0, 0, 2, 3, 1, 2, 0, 0, 0, 0, 3, 0, 1, 3]> : tensor<16xi64>
  %all = sdy.manual_computation(%rows, %output, %from, %sizes, %to)
      in_shardings=[<@four, [{"x", "y"}]>, <@four, [{"x", "y"}]>, <@four, [{"x", "y"}]>, <@four, [{"x", "y"}]>, <@four, [{"x", "y"}]>]
      out_shardings=[<@four, [{"x", "y"}]>] manual_axes={"x", "y"}
      (%r: tensor<3xf32>, %o: tensor<4xf32>, %f: tensor<4xi64>, %s: tensor<4xi64>, %t: tensor<4xi64>) {
    %0 = stablehlo.custom_call @ragged_all_to_all(%r, %o, %f, %s, %t, %s) {api_version = 4 : i32,
        backend_config = {channel_id = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}}
        : (tensor<3xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xf32>
    sdy.return %0 : tensor<4xf32>
  } : (tensor<12xf32>, tensor<16xf32>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>) -> tensor<16xf32>
  check.expect_eq_const %all, dense<[2.0, 0.0, 10.0, 11.0, 1.0, 12.0, 10.0, 11.0, 20.0, 21.0, 22.0, 31.0, 20.0, 31.0, 32.0, 31.0]> : tensor<16xf32>
  return
}
