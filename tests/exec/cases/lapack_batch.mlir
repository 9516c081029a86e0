// Batches of LAPACK's calls that are cut, unevenly too, with rows that are cut, and in a manual computation.
// tolerance: 1e-4
module @lapack_batch {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(
      %a: tensor<5x4x4xf32>,
      %b: tensor<6x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<5x4x4xf32>, tensor<5x4xf32>, tensor<6x4xf32>, tensor<6x4x4xf32>) {
    %cut = sdy.sharding_constraint %a <@mesh, [{"x"}, {}, {"y"}]> : tensor<5x4x4xf32>
    %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%cut) {mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<5x4x4xf32>) -> (tensor<5x4x4xf32>, tensor<5x4xi32>, tensor<5xi32>)
    %eigh:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%cut) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<5x4x4xf32>) -> (tensor<5x4x4xf32>, tensor<5x4xf32>, tensor<5xi32>)
    %svd:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%b) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<6x4x4xf32>) -> (tensor<6x4x4xf32>, tensor<6x4xf32>, tensor<6x4x4xf32>, tensor<6x4x4xf32>, tensor<6xi32>)
    %qr = sdy.manual_computation(%b) in_shardings=[<@mesh, [{"x"}, {}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>] manual_axes={"x"} (%c: tensor<2x4x4xf32>) {
      %f:2 = stablehlo.custom_call @Qr(%c) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
      sdy.return %f#0 : tensor<2x4x4xf32>
    } : (tensor<6x4x4xf32>) -> tensor<6x4x4xf32>
    return %lu#0, %eigh#1, %svd#1, %qr : tensor<5x4x4xf32>, tensor<5x4xf32>, tensor<6x4xf32>, tensor<6x4x4xf32>
  }
}
