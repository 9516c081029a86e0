"""One valid instance of every op of StableHLO and CHLO, in the generic form.

  (op, operand types, result types, attributes, regions)

Attributes are (name, text); a region is (argument types, op lines, returned values as (name, type)).
"""

F = "tensor<4x6xf32>"
S = "tensor<f32>"
PRED = "tensor<i1>"


def reducer(element="f32", op="stablehlo.add", count=1):
    scalar = "tensor<%s>" % element
    arguments = [scalar] * (2 * count)
    lines = ['%%s%d = "%s"(%%x%d, %%x%d) : (%s, %s) -> %s' % (i, op, i, i + count, scalar, scalar, scalar) for i in range(count)]
    return (arguments, lines, [("%%s%d" % i, scalar) for i in range(count)])


def select_ge():
    return ([S, S], ['%s0 = "stablehlo.compare"(%x0, %x1) {comparison_direction = #stablehlo<comparison_direction GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>'],
            [("%s0", PRED)])


def same(ops, types, attributes=()):
    for op in ops.split():
        prefix = "" if "." in op else "stablehlo."
        for type in types:
            yield (prefix + op, [type], [type], list(attributes), [])


def same2(ops, types):
    for op in ops.split():
        prefix = "" if "." in op else "stablehlo."
        for type in types:
            yield (prefix + op, [type, type], [type], [], [])


def ints(*numbers):
    return "array<i64%s>" % (": " + ", ".join(map(str, numbers)) if numbers else "")


def groups(*rows):
    return "dense<%s> : tensor<%dx%dxi64>" % ([list(r) for r in rows], len(rows), len(rows[0]))


CONV = ("#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2, 3], kernel_output_feature_dimension = 0, "
        "kernel_input_feature_dimension = 1, kernel_spatial_dimensions = [2, 3], output_batch_dimension = 0, output_feature_dimension = 1, "
        "output_spatial_dimensions = [2, 3]>")
GATHER = "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
SCATTER = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
DOT = ("#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>")
RAGGED = ("#chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
          "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>")
QUANT = "tensor<4x6x!quant.uniform<i8:f32, 0.5:1>>"


def instances():
    yield from same("cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tan tanh negate sign abs", [F, QUANT])
    yield from same("ceil floor round_nearest_afz round_nearest_even", [F])
    yield from same("not popcnt count_leading_zeros", ["tensor<4x6xi32>"])
    yield from same("chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.bessel_i1e chlo.conj chlo.cosh chlo.digamma chlo.erf chlo.erf_inv chlo.erfc "
                    "chlo.lgamma chlo.sinh chlo.square chlo.tan", [F])
    for op in "is_inf is_neg_inf is_pos_inf".split():
        yield ("chlo." + op, [F], ["tensor<4x6xi1>"], [], [])
    yield from same2("add multiply divide subtract power remainder maximum minimum atan2", [F, QUANT])
    yield from same2("and or xor shift_left shift_right_arithmetic shift_right_logical chlo.mulhi", ["tensor<4x6xi32>"])
    yield from same2("chlo.next_after chlo.polygamma chlo.zeta", [F])
    axis = "tensor<4x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25:2}>>"
    yield ("stablehlo.add", [axis, axis], [axis], [], [])
    yield ("stablehlo.abs", ["tensor<4xcomplex<f32>>"], ["tensor<4xf32>"], [], [])
    for op in ("real", "imag"):
        yield ("stablehlo." + op, ["tensor<4xcomplex<f32>>"], ["tensor<4xf32>"], [], [])
    yield ("stablehlo.complex", [F, F], ["tensor<4x6xcomplex<f32>>"], [], [])
    yield ("stablehlo.is_finite", [F], ["tensor<4x6xi1>"], [], [])
    yield ("stablehlo.compare", [F, F], ["tensor<4x6xi1>"], [("comparison_direction", "#stablehlo<comparison_direction LT>")], [])
    yield ("stablehlo.convert", [F], ["tensor<4x6xi32>"], [], [])
    yield ("stablehlo.reduce_precision", [F], [F], [("exponent_bits", "5 : i32"), ("mantissa_bits", "10 : i32")], [])
    yield ("stablehlo.select", ["tensor<4x6xi1>", F, F], [F], [], [])
    yield ("stablehlo.select", [PRED, F, F], [F], [], [])
    yield ("stablehlo.clamp", [F, F, F], [F], [], [])
    yield ("stablehlo.clamp", [S, F, S], [F], [], [])
    yield ("stablehlo.uniform_quantize", [F], [QUANT], [], [])
    yield ("stablehlo.uniform_dequantize", [QUANT], [F], [], [])
    yield ("stablehlo.map", [F, F], [F], [("dimensions", ints(0, 1))], [reducer()])
    yield ("stablehlo.bitcast_convert", [F], ["tensor<4x6xi32>"], [], [])
    yield ("stablehlo.bitcast_convert", [F], ["tensor<4x6x2xi16>"], [], [])
    yield ("stablehlo.constant", [], ["tensor<2xf32>"], [("value", "dense<[1.0, 2.0]> : tensor<2xf32>")], [])
    yield ("stablehlo.iota", [], [F], [("iota_dimension", "1 : i64")], [])
    yield ("stablehlo.broadcast", ["tensor<6xf32>"], [F], [("broadcast_sizes", ints(4))], [])
    yield ("stablehlo.broadcast_in_dim", ["tensor<6xf32>"], [F], [("broadcast_dimensions", ints(1))], [])
    yield ("stablehlo.broadcast_in_dim", ["tensor<4x1xf32>"], ["tensor<4x3x6xf32>"], [("broadcast_dimensions", ints(0, 2))], [])
    yield ("stablehlo.reshape", [F], ["tensor<3x8xf32>"], [], [])
    yield ("stablehlo.transpose", [F], ["tensor<6x4xf32>"], [("permutation", ints(1, 0))], [])
    yield ("stablehlo.transpose", [axis], ["tensor<2x4x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>"], [("permutation", ints(1, 0))], [])
    yield ("stablehlo.reverse", [F], [F], [("dimensions", ints(0, 1))], [])
    yield ("stablehlo.slice", [F], ["tensor<2x3xf32>"], [("start_indices", ints(1, 0)), ("limit_indices", ints(3, 6)), ("strides", ints(1, 2))], [])
    yield ("stablehlo.pad", [F, S], ["tensor<8x17xf32>"],
           [("edge_padding_low", ints(1, 2)), ("edge_padding_high", ints(3, 4)), ("interior_padding", ints(0, 1))], [])
    yield ("stablehlo.concatenate", [F, "tensor<4x2xf32>"], ["tensor<4x8xf32>"], [("dimension", "1 : i64")], [])
    yield ("stablehlo.dynamic_slice", [F, "tensor<i32>", "tensor<i32>"], ["tensor<2x3xf32>"], [("slice_sizes", ints(2, 3))], [])
    yield ("stablehlo.dynamic_update_slice", [F, "tensor<2x3xf32>", "tensor<i32>", "tensor<i32>"], [F], [], [])
    yield ("stablehlo.real_dynamic_slice", ["tensor<4xf32>", "tensor<1xi64>", "tensor<1xi64>", "tensor<1xi64>"], ["tensor<?xf32>"], [], [])
    yield ("stablehlo.dynamic_broadcast_in_dim", ["tensor<6xf32>", "tensor<2xi64>"], ["tensor<?x6xf32>"], [("broadcast_dimensions", ints(1))], [])
    yield ("stablehlo.dynamic_iota", ["tensor<2xi64>"], ["tensor<?x?xf32>"], [("iota_dimension", "0 : i64")], [])
    yield ("stablehlo.dynamic_pad", ["tensor<4xf32>", S, "tensor<1xi64>", "tensor<1xi64>", "tensor<1xi64>"], ["tensor<?xf32>"], [], [])
    yield ("stablehlo.dynamic_reshape", [F, "tensor<2xi64>"], ["tensor<?x?xf32>"], [], [])
    yield ("stablehlo.dynamic_gather", [F, "tensor<3x1xi64>", "tensor<2xi64>"], ["tensor<3x?xf32>"], [("dimension_numbers", GATHER)], [])
    yield ("stablehlo.get_dimension_size", [F], ["tensor<i32>"], [("dimension", "1 : i64")], [])
    yield ("stablehlo.set_dimension_size", [F, "tensor<i32>"], ["tensor<4x?xf32, #stablehlo.bounds<?, 6>>"], [("dimension", "1 : i64")], [])
    yield ("stablehlo.optimization_barrier", [F, "!stablehlo.token"], [F, "!stablehlo.token"], [], [])
    yield ("stablehlo.dot", [F, "tensor<6x5xf32>"], ["tensor<4x5xf32>"], [], [])
    yield ("stablehlo.dot_general", ["tensor<2x4x6xf32>", "tensor<2x6x5xf32>"], ["tensor<2x4x5xf32>"],
           [("dot_dimension_numbers", DOT), ("precision_config", "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]")], [])
    yield ("stablehlo.einsum", [F, "tensor<6x5xf32>"], ["tensor<4x5xf32>"], [("einsum_config", '"ab,bc->ac"')], [])
    yield ("stablehlo.unary_einsum", [F], ["tensor<4xf32>"], [("einsum_config", '"ab->a"')], [])
    yield ("stablehlo.convolution", ["tensor<2x6x8x9xf32>", "tensor<4x3x3x3xf32>"], ["tensor<2x4x4x9xf32>"],
           [("window_strides", ints(2, 1)), ("padding", "dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>"), ("lhs_dilation", ints(1, 1)), ("rhs_dilation", ints(1, 1)),
            ("window_reversal", "array<i1: false, true>"), ("dimension_numbers", CONV), ("feature_group_count", "2 : i64"), ("batch_group_count", "1 : i64")], [])
    yield ("stablehlo.convolution", ["tensor<4x6x8x9xf32>", "tensor<4x6x3x3xf32>"], ["tensor<2x4x6x7xf32>"],
           [("dimension_numbers", CONV), ("feature_group_count", "1 : i64"), ("batch_group_count", "2 : i64")], [])
    yield ("stablehlo.dynamic_conv", ["tensor<2x6x8x9xf32>", "tensor<4x6x3x3xf32>", "tensor<2x2xi64>"], ["tensor<2x4x?x?xf32>"],
           [("dimension_numbers", CONV), ("feature_group_count", "1 : i64"), ("batch_group_count", "1 : i64")], [])
    yield ("stablehlo.reduce", [F, S], ["tensor<4xf32>"], [("dimensions", ints(1))], [reducer()])
    yield ("stablehlo.reduce", [F, F, S, S], ["tensor<4xf32>", "tensor<4xf32>"], [("dimensions", ints(1))], [reducer(count=2)])
    yield ("stablehlo.reduce_window", [F, S], ["tensor<2x4xf32>"],
           [("window_dimensions", ints(2, 3)), ("window_strides", ints(2, 1)), ("base_dilations", ints(1, 1)), ("window_dilations", ints(1, 1)),
            ("padding", "dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>")], [reducer()])
    yield ("stablehlo.select_and_scatter", [F, "tensor<2x2xf32>", S], [F], [("window_dimensions", ints(2, 3)), ("window_strides", ints(2, 3))], [select_ge(), reducer()])
    yield ("stablehlo.gather", [F, "tensor<3x1xi64>"], ["tensor<3x6xf32>"], [("dimension_numbers", GATHER), ("slice_sizes", ints(1, 6))], [])
    yield ("stablehlo.scatter", [F, "tensor<3x1xi64>", "tensor<3x6xf32>"], [F], [("scatter_dimension_numbers", SCATTER)], [reducer()])
    yield ("stablehlo.torch_index_select", [F, "tensor<3xi64>"], ["tensor<3x6xf32>"], [("dim", "0 : i64"), ("batch_dims", "0 : i64")], [])
    yield ("stablehlo.sort", [F, F], [F, F], [("dimension", "1 : i64"), ("is_stable", "true")],
           [([S, S, S, S], select_ge()[1], select_ge()[2])])
    yield ("stablehlo.fft", ["tensor<4x8xf32>"], ["tensor<4x5xcomplex<f32>>"], [("fft_type", "#stablehlo<fft_type RFFT>"), ("fft_length", ints(8))], [])
    yield ("stablehlo.fft", ["tensor<4x8xcomplex<f32>>"], ["tensor<4x8xcomplex<f32>>"], [("fft_type", "#stablehlo<fft_type FFT>"), ("fft_length", ints(4, 8))], [])
    yield ("stablehlo.fft", ["tensor<4x5xcomplex<f32>>"], ["tensor<4x8xf32>"], [("fft_type", "#stablehlo<fft_type IRFFT>"), ("fft_length", ints(8))], [])
    yield ("stablehlo.cholesky", ["tensor<2x4x4xf32>"], ["tensor<2x4x4xf32>"], [("lower", "true")], [])
    yield ("stablehlo.triangular_solve", ["tensor<2x4x4xf32>", "tensor<2x4x3xf32>"], ["tensor<2x4x3xf32>"],
           [("left_side", "true"), ("lower", "true"), ("unit_diagonal", "false"), ("transpose_a", "#stablehlo<transpose NO_TRANSPOSE>")], [])
    feature = "tensor<6xf32>"
    norm = [("epsilon", "1.0e-5 : f32"), ("feature_index", "1 : i64")]
    yield ("stablehlo.batch_norm_training", [F, feature, feature], [F, feature, feature], norm, [])
    yield ("stablehlo.batch_norm_inference", [F, feature, feature, feature, feature], [F], norm, [])
    yield ("stablehlo.batch_norm_grad", [F, feature, feature, feature, F], [F, feature, feature], norm, [])
    yield ("stablehlo.rng", [S, S, "tensor<2xi64>"], ["tensor<?x?xf32>"], [("rng_distribution", "#stablehlo<rng_distribution UNIFORM>")], [])
    yield ("stablehlo.rng_bit_generator", ["tensor<2xui64>"], ["tensor<2xui64>", "tensor<4xui32>"], [("rng_algorithm", "#stablehlo<rng_algorithm THREE_FRY>")], [])
    yield ("stablehlo.while", [F, "tensor<i1>"], [F, "tensor<i1>"], [], [([F, PRED], [], [("%x1", PRED)]), ([F, PRED], [], [("%x0", F), ("%x1", PRED)])])
    yield ("stablehlo.if", [PRED], ["tensor<i1>"], [], [([], ['%s0 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>'], [("%s0", PRED)])] * 2)
    yield ("stablehlo.case", ["tensor<i32>"], ["tensor<i1>"], [], [([], ['%s0 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>'], [("%s0", PRED)])] * 3)
    yield ("stablehlo.custom_call", [F], [F], [("call_target_name", '"f"'), ("operand_layouts", "[dense<[1, 0]> : tensor<2xindex>]"),
                                               ("result_layouts", "[dense<[0, 1]> : tensor<2xindex>]")], [])
    yield ("stablehlo.custom_call", [F], [F], [("call_target_name", '"f"'), ("api_version", "1 : i32"), ("backend_config", '"text"'), ("has_side_effect", "false")], [])
    yield ("stablehlo.async_start", [F], ["!stablehlo.future<tensor<2x6xf32>>"], [],
           [([F], ['%s0 = "stablehlo.slice"(%x0) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 6>, strides = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<2x6xf32>'],
             [("%s0", "tensor<2x6xf32>")])])
    yield ("stablehlo.async_done", ["!stablehlo.future<tensor<4x6xf32>>"], [F], [], [])
    yield ("stablehlo.tuple", [F, S], ["tuple<tensor<4x6xf32>, tensor<f32>>"], [], [])
    yield ("stablehlo.get_tuple_element", ["tuple<tensor<4x6xf32>, tensor<f32>>"], [S], [("index", "1 : i32")], [])
    yield ("stablehlo.after_all", ["!stablehlo.token", "!stablehlo.token"], ["!stablehlo.token"], [], [])
    yield ("stablehlo.create_token", [], ["!stablehlo.token"], [], [])
    yield ("stablehlo.infeed", ["!stablehlo.token"], [F, "!stablehlo.token"], [("infeed_config", '""'), ("layout", "[[0, 1]]")], [])
    yield ("stablehlo.outfeed", [F, "!stablehlo.token"], ["!stablehlo.token"], [("outfeed_config", '""')], [])
    yield ("stablehlo.send", [F, "!stablehlo.token"], ["!stablehlo.token"],
           [("channel_handle", "#stablehlo.channel_handle<handle = 5, type = 2>"), ("is_host_transfer", "true")], [])
    yield ("stablehlo.recv", ["!stablehlo.token"], [F, "!stablehlo.token"],
           [("channel_handle", "#stablehlo.channel_handle<handle = 5, type = 3>"), ("is_host_transfer", "true")], [])
    pairs = groups((0, 1), (2, 3))
    channel = ("channel_handle", "#stablehlo.channel_handle<handle = 1, type = 1>")
    yield ("stablehlo.all_gather", [F], ["tensor<8x6xf32>"], [("all_gather_dim", "0 : i64"), ("replica_groups", pairs), channel], [])
    yield ("stablehlo.all_reduce", [F], [F], [("replica_groups", pairs), channel], [reducer()])
    yield ("stablehlo.reduce_scatter", [F], ["tensor<2x6xf32>"], [("scatter_dimension", "0 : i64"), ("replica_groups", pairs), channel], [reducer()])
    yield ("stablehlo.all_to_all", [F], ["tensor<8x3xf32>"],
           [("split_dimension", "1 : i64"), ("concat_dimension", "0 : i64"), ("split_count", "2 : i64"), ("replica_groups", pairs), channel], [])
    yield ("stablehlo.collective_permute", [F], [F], [("source_target_pairs", pairs), channel], [])
    yield ("stablehlo.collective_broadcast", [F], [F], [("replica_groups", pairs), channel], [])
    yield ("stablehlo.partition_id", [], ["tensor<ui32>"], [], [])
    yield ("stablehlo.replica_id", [], ["tensor<ui32>"], [], [])
    for op in "add atan2 divide maximum minimum multiply next_after polygamma power remainder subtract zeta".split():
        yield ("chlo.broadcast_" + op, [F, "tensor<6xf32>"], [F], [("broadcast_dimensions", ints(1))], [])
    for op in "and or xor shift_left shift_right_arithmetic shift_right_logical".split():
        yield ("chlo.broadcast_" + op, ["tensor<4x6xi32>", "tensor<6xi32>"], ["tensor<4x6xi32>"], [("broadcast_dimensions", ints(1))], [])
    yield ("chlo.broadcast_compare", [F, "tensor<6xf32>"], ["tensor<4x6xi1>"],
           [("broadcast_dimensions", ints(1)), ("comparison_direction", "#chlo<comparison_direction LT>")], [])
    yield ("chlo.broadcast_complex", [F, "tensor<6xf32>"], ["tensor<4x6xcomplex<f32>>"], [("broadcast_dimensions", ints(1))], [])
    yield ("chlo.broadcast_select", ["tensor<4x6xi1>", F, F], [F], [], [])
    yield ("chlo.constant", [], ["tensor<2xf32>"], [("value", "dense<[1.0, 2.0]> : tensor<2xf32>")], [])
    yield ("chlo.constant_like", [F], [F], [("value", "1.0 : f32")], [])
    yield ("chlo.top_k", [F], ["tensor<4x3xf32>", "tensor<4x3xi32>"], [("k", "3 : i64")], [])
    yield ("chlo.ragged_dot", ["tensor<9x5xf32>", "tensor<3x5x7xf32>", "tensor<3xi64>"], ["tensor<9x7xf32>"], [("ragged_dot_dimension_numbers", RAGGED)], [])
    row = "tensor<6xf32>"
    yield ("chlo.scan", [F, row], [F, row],
           [("dimension", "0 : i64"), ("operandSegmentSizes", "array<i32: 1, 1>"), ("resultSegmentSizes", "array<i32: 1, 1>")],
           [([row, row], ['%%s0 = "stablehlo.add"(%%x0, %%x1) : (%s, %s) -> %s' % (row, row, row)], [("%s0", row), ("%s0", row)])])
