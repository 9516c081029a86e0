// hlo_proto_dims: windows, slices, padding, and the dimension numbers of products,
// convolutions, gathers and solvers.
#include "frontend/hlo/proto/hlo_attr_decoder.h"

static bool too_many(AttrDecoder *to) {
    return hlo_decode_fail(to->decoder, "more than %d dimensions are not supported", MAX_RANK);
}

bool hlo_add_window(AttrDecoder *to, StrView bytes) {
    Messages dims = {0};
    if (!hlo_attr_list_messages(to, bytes, 1, &dims)) return false;
    if (dims.count == 0) return true;
    if (dims.count > MAX_RANK) return too_many(to);
    HloWindow *window = ARENA_NEW(to->decoder->arena, HloWindow);
    window->rank = (int)dims.count;
    for (int d = 0; d < window->rank; d++) {
        int64_t numbers[7] = {0};
        if (!hlo_attr_read_numbers(to, dims.data[d], numbers, 7)) return false;
        window->size[d] = numbers[0];
        window->stride[d] = numbers[1];
        window->padding[2 * d] = numbers[2];
        window->padding[2 * d + 1] = numbers[3];
        window->window_dilation[d] = numbers[4];
        window->base_dilation[d] = numbers[5];
        window->reversal[d] = numbers[6];
    }
    hlo_attr_add(to, HLO_WINDOW)->window = window;
    return true;
}

static bool add_triples(AttrDecoder *to, HloAttrName name, const Messages *dims) {
    if (dims->count > MAX_RANK) return too_many(to);
    HloTriples *triples = ARENA_NEW(to->decoder->arena, HloTriples);
    triples->rank = (int)dims->count;
    for (int d = 0; d < triples->rank; d++) {
        int64_t numbers[3] = {0};
        if (!hlo_attr_read_numbers(to, dims->data[d], numbers, 3)) return false;
        for (int k = 0; k < 3; k++)
            triples->numbers[k][d] = numbers[k];
    }
    hlo_attr_add(to, name)->triples = triples;
    return true;
}

bool hlo_add_slice(AttrDecoder *to) {
    Messages dims = {0};
    hlo_attr_own_messages(to, HLO_FIELD_INSTR_SLICE, &dims);
    return add_triples(to, HLO_SLICE, &dims);
}

bool hlo_add_padding(AttrDecoder *to) {
    Messages dims = {0};
    StrView bytes = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_PADDING);
    return hlo_attr_list_messages(to, bytes, 1, &dims) && add_triples(to, HLO_PADDING, &dims);
}

// ---- contractions ----

static bool add_labels(AttrDecoder *to, StrView bytes) {
    enum { FIRST = 3, LAST = 12 };
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts lists[LAST + 1] = {0};
    int64_t numbers[LAST + 1] = {0};
    while (proto_next(&message, &field)) {
        if (field.number < FIRST || field.number > LAST) continue;
        bool is_list = field.number == 6 || field.number == 11 || field.number == 12;
        numbers[field.number] = (int64_t)field.value;
        if (is_list && !hlo_decode_ints(to->decoder, &field, &lists[field.number])) return false;
    }
    ConvDims *dims = ARENA_NEW(to->decoder->arena, ConvDims);
    *dims = (ConvDims){
        .kernel_input_feature = numbers[3],
        .kernel_output_feature = numbers[4],
        .kernel_spatial = proto_span(&lists[6]),
        .input_batch = numbers[7],
        .input_feature = numbers[8],
        .output_batch = numbers[9],
        .output_feature = numbers[10],
        .input_spatial = proto_span(&lists[11]),
        .output_spatial = proto_span(&lists[12])};
    hlo_attr_add(to, HLO_DIM_LABELS)->labels = dims;
    return hlo_decode_end(to->decoder, &message);
}

// PrecisionConfig: the operands' precisions, where one is not the default, and the algorithm.
static bool add_precision(AttrDecoder *to, StrView bytes) {
    static const char *const precisions[] = {"default", "high", "highest"};
    static const char *const algorithms[] = {
        "dot_unset",         "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
        "dot_f16_f16_f16",   "dot_f16_f16_f32",       "dot_bf16_bf16_bf16",
        "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3",  "dot_bf16_bf16_f32_x6",
        "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3",  "dot_f32_f32_f32",
        "dot_f64_f64_f64",   "dot_bf16_bf16_f32_x9"};
    enum { PRECISIONS = 3, ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts given = {0};
    int64_t algorithm = 0;
    bool is_default = true;
    while (proto_next(&message, &field)) {
        if (field.number == 1 && !hlo_decode_ints(to->decoder, &field, &given)) return false;
        if (field.number == 2) algorithm = (int64_t)field.value;
    }
    StrView *words = ARENA_ARRAY(to->decoder->arena, StrView, given.count + 1);
    for (int64_t i = 0; i < given.count; i++) {
        int64_t precision = given.data[i];
        if (precision < 0 || precision >= PRECISIONS)
            return hlo_attr_refuse_number(to, "a precision", precision);
        is_default = is_default && precision == 0;
        words[i] = strview(precisions[precision]);
    }
    if (!is_default) hlo_attr_add(to, HLO_PRECISION)->words = (HloWords){words, (int)given.count};
    if (algorithm < 0 || algorithm >= ALGORITHMS)
        return hlo_attr_refuse_number(to, "an algorithm", algorithm);
    if (algorithm > 0) hlo_attr_add(to, HLO_ALGORITHM)->text = strview(algorithms[algorithm]);
    return hlo_decode_end(to->decoder, &message);
}

bool hlo_add_dot(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_LHS_CONTRACTING, true},
        {2, HLO_RHS_CONTRACTING, true},
        {3, HLO_LHS_BATCH, true},
        {4, HLO_RHS_BATCH, true}};
    if (hlo_field(to->decoder, HLO_FIELD_INSTR_SPARSITY)) hlo_attr_add(to, HLO_SPARSITY);
    return hlo_attr_add_ints(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_DOT_DIMS), rows, 4) &&
           add_precision(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_PRECISION));
}

bool hlo_add_convolution(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    int64_t features = hlo_field_int(decoder, HLO_FIELD_INSTR_FEATURE_GROUP_COUNT);
    int64_t batches = hlo_field_int(decoder, HLO_FIELD_INSTR_BATCH_GROUP_COUNT);
    if (features != 0) hlo_attr_add(to, HLO_FEATURE_GROUP_COUNT)->number = features;
    if (batches != 0) hlo_attr_add(to, HLO_BATCH_GROUP_COUNT)->number = batches;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_PADDING_TYPE) != 0)
        hlo_attr_add_unknown(to, "padding_type");
    return add_labels(to, hlo_field_bytes(decoder, HLO_FIELD_INSTR_CONV_DIMS)) &&
           add_precision(to, hlo_field_bytes(decoder, HLO_FIELD_INSTR_PRECISION));
}

bool hlo_add_gather(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_OFFSET_DIMS, true},      {2, HLO_COLLAPSED_SLICE_DIMS, true},
        {3, HLO_START_INDEX_MAP, true},  {4, HLO_INDEX_VECTOR_DIM, false},
        {5, HLO_OPERAND_BATCHING, true}, {6, HLO_START_BATCHING, true}};
    IntSpan sizes;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_SLICE_SIZES, &sizes)) return false;
    hlo_attr_add(to, HLO_SLICE_SIZES)->ints = sizes;
    return hlo_attr_add_ints(
        to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_GATHER_DIMS), rows, 6);
}

bool hlo_add_scatter(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_UPDATE_WINDOW_DIMS, true},  {2, HLO_INSERTED_WINDOW_DIMS, true},
        {3, HLO_SCATTER_TO_OPERAND, true},  {4, HLO_INDEX_VECTOR_DIM, false},
        {5, HLO_INPUT_BATCHING_DIMS, true}, {6, HLO_SCATTER_BATCHING, true}};
    return hlo_attr_add_ints(
        to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_SCATTER_DIMS), rows, 6);
}

bool hlo_add_triangular_solve(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_LEFT_SIDE, false}, {2, HLO_LOWER, false}, {3, HLO_UNIT_DIAGONAL, false}};
    static const char *const transposes[] = {
        "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    StrView bytes = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_TRIANGULAR_SOLVE);
    int64_t numbers[4] = {0};
    if (!hlo_attr_add_ints(to, bytes, rows, 3) || !hlo_attr_read_numbers(to, bytes, numbers, 4))
        return false;
    if (numbers[3] < 0 || numbers[3] > 3)
        return hlo_attr_refuse_number(to, "a transposition", numbers[3]);
    hlo_attr_add(to, HLO_TRANSPOSE_A)->text = strview(transposes[numbers[3]]);
    return true;
}

bool hlo_add_cholesky(AttrDecoder *to) {
    static const IntField rows[] = {{1, HLO_LOWER, false}};
    return hlo_attr_add_ints(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_CHOLESKY), rows, 1);
}
