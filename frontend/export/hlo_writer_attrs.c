// hlo_writer_attrs: the attributes of HLO's instructions.
#include "frontend/export/hlo_writer.h"
#include "frontend/hlo/module/hlo_module.h"

#include <stdio.h>

void hlo_write_ints(StrBuf *out, const char *name, IntSpan ints) {
    strbuf_printf(out, ", %s={", name);
    for (int i = 0; i < ints.count; i++)
        strbuf_printf(out, "%s%lld", i ? "," : "", (long long)ints.data[i]);
    strbuf_putc(out, '}');
}

static void write_some(StrBuf *out, const char *name, IntSpan ints) {
    if (ints.count > 0) hlo_write_ints(out, name, ints);
}

static void write_int(StrBuf *out, const char *name, int64_t number) {
    strbuf_printf(out, ", %s=%lld", name, (long long)number);
}

static void write_single(StrBuf *out, const Op *op, AttrName name) {
    strbuf_printf(out, ", dimensions={%lld}", (long long)op_int(op, name, 0));
}

static void write_flag(StrBuf *out, const char *name, const Op *op, AttrName attr) {
    if (op_int(op, attr, 0)) strbuf_printf(out, ", %s=true", name);
}

static StrView keyword_of(const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    return attr && attr->kind == ATTR_ENUM ? enum_keyword(attr->enum_kind, (int)attr->integer)
                                           : SV("");
}

static void write_lower(StrBuf *out, StrView word) {
    for (size_t i = 0; i < word.size; i++) {
        char c = word.data[i];
        strbuf_putc(out, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
}

static void write_keyword(
    StrBuf *out, const char *name, const char *prefix, const Op *op, AttrName attr, bool is_lower) {
    StrView word = keyword_of(op, attr);
    strbuf_printf(out, ", %s=%s", name, prefix);
    if (is_lower)
        write_lower(out, word);
    else
        strbuf_append(out, word);
}

// ---- views ----

static void write_slice(HloWriter *writer, StrBuf *out, const Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    const int64_t *start = op_ints_or(writer->arena, op, NAME_START_INDICES, rank, 0);
    const int64_t *limit = op_ints_or(writer->arena, op, NAME_LIMIT_INDICES, rank, 0);
    const int64_t *stride = op_ints_or(writer->arena, op, NAME_STRIDES, rank, 1);
    strbuf_puts(out, ", slice={");
    for (int d = 0; d < rank; d++) {
        strbuf_printf(out, "%s[%lld:%lld", d ? ", " : "", (long long)start[d], (long long)limit[d]);
        if (stride[d] != 1) strbuf_printf(out, ":%lld", (long long)stride[d]);
        strbuf_putc(out, ']');
    }
    strbuf_putc(out, '}');
}

static void write_padding(HloWriter *writer, StrBuf *out, const Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    const int64_t *low = op_ints_or(writer->arena, op, NAME_EDGE_PADDING_LOW, rank, 0);
    const int64_t *high = op_ints_or(writer->arena, op, NAME_EDGE_PADDING_HIGH, rank, 0);
    const int64_t *interior = op_ints_or(writer->arena, op, NAME_INTERIOR_PADDING, rank, 0);
    for (int d = 0; d < rank; d++)
        strbuf_printf(
            out, "%s%lld_%lld_%lld", d ? "x" : ", padding=", (long long)low[d], (long long)high[d],
            (long long)interior[d]);
}

// ---- windows ----

static void write_field(StrBuf *out, const char *name, int rank, const int64_t *numbers) {
    strbuf_puts(out, name);
    for (int d = 0; d < rank; d++)
        strbuf_printf(out, "%s%lld", d ? "x" : "", (long long)numbers[d]);
}

static void write_window(
    HloWriter *writer, StrBuf *out, const Op *op, int rank, const int64_t *sizes,
    const AttrName dilations[2]) {
    const int64_t *padding = op_ints_or(writer->arena, op, NAME_PADDING, 2 * rank, 0);
    if (rank == 0) return;
    write_field(out, ", window={size=", rank, sizes);
    write_field(out, " stride=", rank, op_ints_or(writer->arena, op, NAME_WINDOW_STRIDES, rank, 1));
    for (int d = 0; d < rank; d++)
        strbuf_printf(
            out, "%s%lld_%lld", d ? "x" : " pad=", (long long)padding[2 * d],
            (long long)padding[2 * d + 1]);
    write_field(out, " lhs_dilate=", rank, op_ints_or(writer->arena, op, dilations[0], rank, 1));
    write_field(out, " rhs_dilate=", rank, op_ints_or(writer->arena, op, dilations[1], rank, 1));
    if (op->code == OP_CONVOLUTION)
        write_field(
            out, " rhs_reversal=", rank,
            op_ints_or(writer->arena, op, NAME_WINDOW_REVERSAL, rank, 0));
    strbuf_putc(out, '}');
}

static void write_reduction_window(HloWriter *writer, StrBuf *out, const Op *op) {
    static const AttrName dilations[] = {NAME_BASE_DILATIONS, NAME_WINDOW_DILATIONS};
    int rank = op_operand_type(op, 0)->rank;
    write_window(
        writer, out, op, rank, op_ints_or(writer->arena, op, NAME_WINDOW_DIMENSIONS, rank, 1),
        dilations);
}

// ---- contractions ----

static void write_precision(StrBuf *out, const Op *op) {
    const Attr *list = op_attr(op, NAME_PRECISION_CONFIG);
    if (!list || list->kind != ATTR_ARRAY || list->count == 0) return;
    strbuf_puts(out, ", operand_precision={");
    for (int i = 0; i < list->count; i++) {
        if (i > 0) strbuf_putc(out, ',');
        write_lower(out, enum_keyword(ENUM_PRECISION, (int)list->items[i]->integer));
    }
    strbuf_putc(out, '}');
}

static void write_precision_type(StrBuf *out, ElementType element, bool is_tf32) {
    strbuf_putc(out, '_');
    strbuf_append(out, is_tf32 ? SV("tf32") : hlo_element_word(element));
}

// dot_bf16_bf16_f32_x3
static bool write_algorithm(HloWriter *writer, StrBuf *out, const Op *op) {
    const Attr *attr = op_attr(op, NAME_ALGORITHM);
    if (!attr || attr->kind != ATTR_DOT_ALGORITHM) return true;
    const DotAlgorithm *algorithm = attr->dot_algorithm;
    if (algorithm->lhs_components != 1 || algorithm->rhs_components != 1 ||
        algorithm->allow_imprecise_accumulation)
        return hlo_write_refuse(writer, op, "has an algorithm without a name in HLO");
    strbuf_puts(out, ", algorithm=dot");
    write_precision_type(out, algorithm->lhs_precision, algorithm->lhs_is_tf32);
    write_precision_type(out, algorithm->rhs_precision, algorithm->rhs_is_tf32);
    write_precision_type(out, algorithm->accumulation, algorithm->accumulation_is_tf32);
    if (algorithm->primitive_operations > 1)
        strbuf_printf(out, "_x%lld", (long long)algorithm->primitive_operations);
    return true;
}

static bool write_dot(HloWriter *writer, StrBuf *out, const Op *op) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    write_some(out, "lhs_batch_dims", dims->lhs_batch);
    write_some(out, "lhs_contracting_dims", dims->lhs_contracting);
    write_some(out, "rhs_batch_dims", dims->rhs_batch);
    write_some(out, "rhs_contracting_dims", dims->rhs_contracting);
    write_precision(out, op);
    return write_algorithm(writer, out, op);
}

static void write_label(
    StrBuf *out, const char *letters, int64_t batch, int64_t feature, IntSpan spatial) {
    char text[MAX_RANK + 3];
    int rank = spatial.count + 2;
    text[rank] = 0;
    text[batch] = letters[0];
    text[feature] = letters[1];
    for (int i = 0; i < spatial.count; i++)
        text[spatial.data[i]] = (char)('0' + i);
    strbuf_puts(out, text);
}

static bool write_convolution(HloWriter *writer, StrBuf *out, const Op *op) {
    static const AttrName dilations[] = {NAME_LHS_DILATION, NAME_RHS_DILATION};
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    int rank = dims->input_spatial.count;
    int64_t sizes[MAX_RANK];
    if (rank > 10)
        return hlo_write_refuse(writer, op, "of so many dimensions is not written as HLO");
    for (int d = 0; d < rank; d++)
        sizes[d] = op_operand_type(op, 1)->dims[dims->kernel_spatial.data[d]];
    write_window(writer, out, op, rank, sizes, dilations);
    strbuf_puts(out, ", dim_labels=");
    write_label(out, "bf", dims->input_batch, dims->input_feature, dims->input_spatial);
    strbuf_putc(out, '_');
    write_label(
        out, "oi", dims->kernel_output_feature, dims->kernel_input_feature, dims->kernel_spatial);
    strbuf_puts(out, "->");
    write_label(out, "bf", dims->output_batch, dims->output_feature, dims->output_spatial);
    write_int(out, "feature_group_count", op_int(op, NAME_FEATURE_GROUP_COUNT, 1));
    write_int(out, "batch_group_count", op_int(op, NAME_BATCH_GROUP_COUNT, 1));
    write_precision(out, op);
    return true;
}

static void write_gather(HloWriter *writer, StrBuf *out, const Op *op) {
    const GatherDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->gather;
    int rank = op_operand_type(op, 0)->rank;
    hlo_write_ints(out, "offset_dims", dims->offset_dims);
    hlo_write_ints(out, "collapsed_slice_dims", dims->collapsed_slice_dims);
    hlo_write_ints(out, "start_index_map", dims->start_index_map);
    write_some(out, "operand_batching_dims", dims->operand_batching_dims);
    write_some(out, "start_indices_batching_dims", dims->start_indices_batching_dims);
    write_int(out, "index_vector_dim", dims->index_vector_dim);
    hlo_write_ints(
        out, "slice_sizes",
        (IntSpan){op_ints_or(writer->arena, op, NAME_SLICE_SIZES, rank, 1), rank});
    write_flag(out, "indices_are_sorted", op, NAME_INDICES_ARE_SORTED);
}

static void write_scatter(StrBuf *out, const Op *op) {
    const ScatterDims *dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    hlo_write_ints(out, "update_window_dims", dims->update_window_dims);
    hlo_write_ints(out, "inserted_window_dims", dims->inserted_window_dims);
    hlo_write_ints(out, "scatter_dims_to_operand_dims", dims->scatter_dims_to_operand_dims);
    write_some(out, "input_batching_dims", dims->input_batching_dims);
    write_some(out, "scatter_indices_batching_dims", dims->scatter_indices_batching_dims);
    write_int(out, "index_vector_dim", dims->index_vector_dim);
    write_flag(out, "indices_are_sorted", op, NAME_INDICES_ARE_SORTED);
    write_flag(out, "unique_indices", op, NAME_UNIQUE_INDICES);
}

// ---- devices ----

static void write_matrix(StrBuf *out, const char *name, const Attr *matrix) {
    if (!matrix || matrix->kind != ATTR_ELEMENTS || matrix->type->rank != 2) return;
    int64_t rows = matrix->type->dims[0], columns = matrix->type->dims[1];
    strbuf_printf(out, ", %s={", name);
    for (int64_t r = 0; r < rows; r++) {
        strbuf_puts(out, r ? ",{" : "{");
        for (int64_t c = 0, written = 0; c < columns; c++) {
            int64_t id = attr_element_int(matrix, r * columns + c);
            if (id >= 0) strbuf_printf(out, "%s%lld", written++ ? "," : "", (long long)id);
        }
        strbuf_putc(out, '}');
    }
    strbuf_putc(out, '}');
}

static void write_groups(StrBuf *out, const Op *op) {
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    write_matrix(out, "replica_groups", op_attr(op, NAME_REPLICA_GROUPS));
    write_matrix(out, "source_target_pairs", op_attr(op, NAME_SOURCE_TARGET_PAIRS));
    if (channel && channel->kind == ATTR_CHANNEL && channel->ints[0] > 0)
        write_int(out, "channel_id", channel->ints[0]);
    if (op_attr(op, NAME_USE_GLOBAL_DEVICE_IDS)) strbuf_puts(out, ", use_global_device_ids=true");
}

static bool write_all_to_all(HloWriter *writer, StrBuf *out, const Op *op) {
    int64_t dim = op_int(op, NAME_SPLIT_DIMENSION, 0);
    if (dim != op_int(op, NAME_CONCAT_DIMENSION, 0))
        return hlo_write_refuse(writer, op, "along two dimensions has no form in HLO");
    write_single(out, op, NAME_SPLIT_DIMENSION);
    return true;
}

// ---- calls ----

static void write_aliases(StrBuf *out, const Op *op) {
    const Attr *list = op_attr(op, NAME_OUTPUT_OPERAND_ALIASES);
    if (!list || list->count == 0) return;
    strbuf_puts(out, ", output_to_operand_aliasing={");
    for (int i = 0; i < list->count; i++) {
        const OperandAlias *alias = list->items[i]->alias;
        strbuf_puts(out, i ? ", {" : "{");
        for (int k = 0; k < alias->output_tuple_indices.count; k++)
            strbuf_printf(
                out, "%s%lld", k ? "," : "", (long long)alias->output_tuple_indices.data[k]);
        strbuf_printf(out, "}: (%lld, {})", (long long)alias->operand_index);
    }
    strbuf_putc(out, '}');
}

static bool write_custom_call(HloWriter *writer, StrBuf *out, const Op *op) {
    const Attr *config = op_attr(op, NAME_BACKEND_CONFIG);
    const Attr *layouts = op_attr(op, NAME_OPERAND_LAYOUTS);
    const Attr *called = op_attr(op, NAME_CALLED_COMPUTATIONS);
    int version = (int)op_int(op, NAME_API_VERSION, 0);
    strbuf_puts(out, ", custom_call_target=");
    hlo_write_string(out, op_text(op, NAME_CALL_TARGET_NAME));
    write_flag(out, "custom_call_has_side_effect", op, NAME_HAS_SIDE_EFFECT);
    if (version > 1) {
        strbuf_puts(out, ", api_version=");
        strbuf_append(out, enum_keyword(ENUM_CUSTOM_CALL_API, version));
    }
    if (layouts && layouts->kind == ATTR_ARRAY) {
        strbuf_puts(out, ", operand_layout_constraints={");
        for (int i = 0; i < op->operand_count && i < layouts->count; i++) {
            strbuf_puts(out, i ? ", " : "");
            hlo_write_shape(out, op_operand_type(op, i), layouts->items[i]);
        }
        strbuf_putc(out, '}');
    }
    write_aliases(out, op);
    if (called && called->count > 0)
        return hlo_write_refuse(writer, op, "with called computations is not written as HLO");
    if (!config) return true;
    strbuf_puts(out, ", backend_config=");
    if (config->kind == ATTR_STRING)
        hlo_write_string(out, config->text);
    else
        attr_print(out, config);
    return true;
}

// ---- by op ----

// Transforms, solvers, normalisation, random numbers.
static void write_numbers(StrBuf *out, const Op *op) {
    switch (op->code) {
    case OP_FFT:
        write_keyword(out, "fft_type", "", op, NAME_FFT_TYPE, false);
        hlo_write_ints(out, "fft_length", op_ints(op, NAME_FFT_LENGTH));
        break;
    case OP_CHOLESKY: write_flag(out, "lower", op, NAME_LOWER); break;
    case OP_TRIANGULAR_SOLVE:
        write_flag(out, "left_side", op, NAME_LEFT_SIDE);
        write_flag(out, "lower", op, NAME_LOWER);
        write_flag(out, "unit_diagonal", op, NAME_UNIT_DIAGONAL);
        write_keyword(out, "transpose_a", "", op, NAME_TRANSPOSE_A, false);
        break;
    case OP_BATCH_NORM_GRAD:
    case OP_BATCH_NORM_INFERENCE:
    case OP_BATCH_NORM_TRAINING:
        strbuf_printf(out, ", epsilon=%.9g", op_attr(op, NAME_EPSILON)->number);
        write_int(out, "feature_index", op_int(op, NAME_FEATURE_INDEX, 0));
        break;
    case OP_REDUCE_PRECISION:
        write_int(out, "exponent_bits", op_int(op, NAME_EXPONENT_BITS, 0));
        write_int(out, "mantissa_bits", op_int(op, NAME_MANTISSA_BITS, 0));
        break;
    case OP_RNG: write_keyword(out, "distribution", "rng_", op, NAME_RNG_DISTRIBUTION, true); break;
    case OP_RNG_BIT_GENERATOR:
        write_keyword(out, "algorithm", "rng_", op, NAME_RNG_ALGORITHM, true);
        break;
    case OP_CHLO_TOP_K:
        write_int(out, "k", op_int(op, NAME_K, 0));
        strbuf_printf(out, ", largest=%s", op_int(op, NAME_LARGEST, 1) ? "true" : "false");
        break;
    default: break;
    }
}

bool hlo_write_attrs(HloWriter *writer, StrBuf *out, const Op *op) {
    switch (op->code) {
    case OP_COMPARE:
        write_keyword(out, "direction", "", op, NAME_COMPARISON_DIRECTION, false);
        if (strview_is(keyword_of(op, NAME_COMPARE_TYPE), "TOTALORDER"))
            strbuf_puts(out, ", type=TOTALORDER");
        return true;
    case OP_IOTA: write_int(out, "iota_dimension", op_int(op, NAME_IOTA_DIMENSION, 0)); return true;
    case OP_BROADCAST_IN_DIM:
        hlo_write_ints(out, "dimensions", op_ints(op, NAME_BROADCAST_DIMENSIONS));
        return true;
    case OP_TRANSPOSE:
        hlo_write_ints(out, "dimensions", op_ints(op, NAME_PERMUTATION));
        return true;
    case OP_REVERSE:
    case OP_MAP:
    case OP_REDUCE: hlo_write_ints(out, "dimensions", op_ints(op, NAME_DIMENSIONS)); return true;
    case OP_CONCATENATE:
    case OP_GET_DIMENSION_SIZE: write_single(out, op, NAME_DIMENSION); return true;
    case OP_SORT:
        write_single(out, op, NAME_DIMENSION);
        write_flag(out, "is_stable", op, NAME_IS_STABLE);
        return true;
    case OP_SLICE: write_slice(writer, out, op); return true;
    case OP_PAD: write_padding(writer, out, op); return true;
    case OP_DYNAMIC_SLICE:
        hlo_write_ints(
            out, "dynamic_slice_sizes",
            (IntSpan){op_result_type(op, 0)->dims, op_result_type(op, 0)->rank});
        return true;
    case OP_REDUCE_WINDOW:
    case OP_SELECT_AND_SCATTER: write_reduction_window(writer, out, op); return true;
    case OP_DOT_GENERAL: return write_dot(writer, out, op);
    case OP_CONVOLUTION: return write_convolution(writer, out, op);
    case OP_GATHER: write_gather(writer, out, op); return true;
    case OP_SCATTER: write_scatter(out, op); return true;
    case OP_ALL_GATHER: write_single(out, op, NAME_ALL_GATHER_DIM); break;
    case OP_REDUCE_SCATTER: write_single(out, op, NAME_SCATTER_DIMENSION); break;
    case OP_ALL_TO_ALL:
        if (!write_all_to_all(writer, out, op)) return false;
        break;
    case OP_CUSTOM_CALL: return write_custom_call(writer, out, op);
    default: write_numbers(out, op); break;
    }
    if (op_has(op, TRAIT_COLLECTIVE) || op_attr(op, NAME_REPLICA_GROUPS)) write_groups(out, op);
    return true;
}
