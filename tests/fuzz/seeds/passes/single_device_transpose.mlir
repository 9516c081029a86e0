
// RUN: sdy_opt %s -sdy-insert-explicit-reshards='enable-full-version=true' -verify-diagnostics -split-input-file
sdy.mesh @single_dev_0 = <[], device_ids=[0]>

// expected-error @+1 {{function argument 0 cannot have a single-device (maximal) sharding attribute}}
func.func @single_device_argument(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@single_dev_0, []>}) -> tensor<8x16xf32> {
%z82582a = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
%z82582 = stablehlo.transpose %z82582a, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  return %z82582 : tensor<8x16xf32>
}

