// hlo_proto_attrs: the fields of HloInstructionProto as attributes, as HLO's text has them. What a protobuf leaves out because it is zero is added
// where the opcode needs it.
#include "frontend/gspmd/gspmd.h"
#include "frontend/hlo/proto/hlo_decoder.h"

typedef VEC(HloAttr) Attrs;

typedef struct AttrDecoder {
    HloDecoder *decoder;
    const HloInstr *instr;
    Attrs attrs;
} AttrDecoder;

static HloAttr *add(AttrDecoder *to, HloAttrName name) {
    vec_push(to->decoder->arena, &to->attrs, ((HloAttr){.name = name}));
    return &vec_last(&to->attrs);
}

static bool opcode_is(const AttrDecoder *to, const char *opcode) {
    return strview_is(to->instr->opcode, opcode);
}

static bool opcode_begins(const AttrDecoder *to, const char *prefix) {
    return strview_starts_with(to->instr->opcode, strview(prefix));
}

// An attribute that text would have, and that is not supported.
static void add_unknown(AttrDecoder *to, const char *name) {
    add(to, HLO_ATTR_COUNT)->text = strview(name);
}

static bool refuse_number(AttrDecoder *to, const char *what, int64_t number) {
    return hlo_decode_refuse(
        to->decoder, "'%.*s' op %s with the number %lld is not known", SV_ARG(to->instr->opcode),
        what, (long long)number);
}

// ---- numbers of messages ----

// A message of numbers and lists of numbers.
typedef struct IntField {
    int number;
    HloAttrName name;
    bool is_list;
} IntField;

static bool add_ints(AttrDecoder *to, StrView bytes, const IntField *rows, int row_count) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts lists[8] = {0};
    int64_t numbers[8] = {0};
    while (proto_next(&message, &field)) {
        for (int i = 0; i < row_count; i++) {
            if (rows[i].number != field.number) continue;
            numbers[i] = (int64_t)field.value;
            if (rows[i].is_list && !hlo_decode_ints(to->decoder, &field, &lists[i])) return false;
        }
    }
    for (int i = 0; i < row_count; i++) {
        if (!rows[i].is_list && hlo_attr_kind(rows[i].name) == HLO_KIND_BOOL)
            add(to, rows[i].name)->flag = numbers[i] != 0;
        else if (!rows[i].is_list)
            add(to, rows[i].name)->number = numbers[i];
        else if (lists[i].count > 0)
            add(to, rows[i].name)->ints = proto_span(&lists[i]);
    }
    return hlo_decode_end(to->decoder, &message);
}

// The fields 1 to `count` of a message, which are numbers.
static bool read_numbers(AttrDecoder *to, StrView bytes, int64_t *numbers, int count) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        if (field.number <= count) numbers[field.number - 1] = (int64_t)field.value;
    }
    return hlo_decode_end(to->decoder, &message);
}

// ---- windows, slices, padding ----

typedef VEC(StrView) Messages;

static bool list_messages(AttrDecoder *to, StrView bytes, int number, Messages *list) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        if (field.number == number) vec_push(to->decoder->arena, list, field.bytes);
    }
    return hlo_decode_end(to->decoder, &message);
}

static void own_messages(AttrDecoder *to, int number, Messages *list) {
    const ProtoFields *fields = &to->decoder->fields;
    for (int64_t i = 0; i < fields->count; i++) {
        if (fields->data[i].number == number)
            vec_push(to->decoder->arena, list, fields->data[i].bytes);
    }
}

static bool too_many(AttrDecoder *to) {
    return hlo_decode_fail(to->decoder, "more than %d dimensions are not supported", MAX_RANK);
}

static bool add_window(AttrDecoder *to, StrView bytes) {
    Messages dims = {0};
    if (!list_messages(to, bytes, 1, &dims)) return false;
    if (dims.count == 0) return true;
    if (dims.count > MAX_RANK) return too_many(to);
    HloWindow *window = ARENA_NEW(to->decoder->arena, HloWindow);
    window->rank = (int)dims.count;
    for (int d = 0; d < window->rank; d++) {
        int64_t numbers[7] = {0};
        if (!read_numbers(to, dims.data[d], numbers, 7)) return false;
        window->size[d] = numbers[0];
        window->stride[d] = numbers[1];
        window->padding[2 * d] = numbers[2];
        window->padding[2 * d + 1] = numbers[3];
        window->window_dilation[d] = numbers[4];
        window->base_dilation[d] = numbers[5];
        window->reversal[d] = numbers[6];
    }
    add(to, HLO_WINDOW)->window = window;
    return true;
}

static bool add_triples(AttrDecoder *to, HloAttrName name, const Messages *dims) {
    if (dims->count > MAX_RANK) return too_many(to);
    HloTriples *triples = ARENA_NEW(to->decoder->arena, HloTriples);
    triples->rank = (int)dims->count;
    for (int d = 0; d < triples->rank; d++) {
        int64_t numbers[3] = {0};
        if (!read_numbers(to, dims->data[d], numbers, 3)) return false;
        for (int k = 0; k < 3; k++)
            triples->numbers[k][d] = numbers[k];
    }
    add(to, name)->triples = triples;
    return true;
}

static bool add_slice(AttrDecoder *to) {
    Messages dims = {0};
    own_messages(to, HLO_FIELD_INSTR_SLICE, &dims);
    return add_triples(to, HLO_SLICE, &dims);
}

static bool add_padding(AttrDecoder *to) {
    Messages dims = {0};
    StrView bytes = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_PADDING);
    return list_messages(to, bytes, 1, &dims) && add_triples(to, HLO_PADDING, &dims);
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
    add(to, HLO_DIM_LABELS)->labels = dims;
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
            return refuse_number(to, "a precision", precision);
        is_default = is_default && precision == 0;
        words[i] = strview(precisions[precision]);
    }
    if (!is_default) add(to, HLO_PRECISION)->words = (HloWords){words, (int)given.count};
    if (algorithm < 0 || algorithm >= ALGORITHMS)
        return refuse_number(to, "an algorithm", algorithm);
    if (algorithm > 0) add(to, HLO_ALGORITHM)->text = strview(algorithms[algorithm]);
    return hlo_decode_end(to->decoder, &message);
}

static bool add_dot(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_LHS_CONTRACTING, true},
        {2, HLO_RHS_CONTRACTING, true},
        {3, HLO_LHS_BATCH, true},
        {4, HLO_RHS_BATCH, true}};
    if (hlo_field(to->decoder, HLO_FIELD_INSTR_SPARSITY)) add(to, HLO_SPARSITY);
    return add_ints(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_DOT_DIMS), rows, 4) &&
           add_precision(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_PRECISION));
}

static bool add_convolution(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    int64_t features = hlo_field_int(decoder, HLO_FIELD_INSTR_FEATURE_GROUP_COUNT);
    int64_t batches = hlo_field_int(decoder, HLO_FIELD_INSTR_BATCH_GROUP_COUNT);
    if (features != 0) add(to, HLO_FEATURE_GROUP_COUNT)->number = features;
    if (batches != 0) add(to, HLO_BATCH_GROUP_COUNT)->number = batches;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_PADDING_TYPE) != 0) add_unknown(to, "padding_type");
    return add_labels(to, hlo_field_bytes(decoder, HLO_FIELD_INSTR_CONV_DIMS)) &&
           add_precision(to, hlo_field_bytes(decoder, HLO_FIELD_INSTR_PRECISION));
}

static bool add_gather(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_OFFSET_DIMS, true},      {2, HLO_COLLAPSED_SLICE_DIMS, true},
        {3, HLO_START_INDEX_MAP, true},  {4, HLO_INDEX_VECTOR_DIM, false},
        {5, HLO_OPERAND_BATCHING, true}, {6, HLO_START_BATCHING, true}};
    IntSpan sizes;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_SLICE_SIZES, &sizes)) return false;
    add(to, HLO_SLICE_SIZES)->ints = sizes;
    return add_ints(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_GATHER_DIMS), rows, 6);
}

static bool add_scatter(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_UPDATE_WINDOW_DIMS, true},  {2, HLO_INSERTED_WINDOW_DIMS, true},
        {3, HLO_SCATTER_TO_OPERAND, true},  {4, HLO_INDEX_VECTOR_DIM, false},
        {5, HLO_INPUT_BATCHING_DIMS, true}, {6, HLO_SCATTER_BATCHING, true}};
    return add_ints(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_SCATTER_DIMS), rows, 6);
}

static bool add_triangular_solve(AttrDecoder *to) {
    static const IntField rows[] = {
        {1, HLO_LEFT_SIDE, false}, {2, HLO_LOWER, false}, {3, HLO_UNIT_DIAGONAL, false}};
    static const char *const transposes[] = {
        "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    StrView bytes = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_TRIANGULAR_SOLVE);
    int64_t numbers[4] = {0};
    if (!add_ints(to, bytes, rows, 3) || !read_numbers(to, bytes, numbers, 4)) return false;
    if (numbers[3] < 0 || numbers[3] > 3) return refuse_number(to, "a transposition", numbers[3]);
    add(to, HLO_TRANSPOSE_A)->text = strview(transposes[numbers[3]]);
    return true;
}

// ---- enumerations ----

static bool add_word(
    AttrDecoder *to, HloAttrName name, int field, const char *const *words, int count) {
    int64_t number = hlo_field_int(to->decoder, field);
    if (number < 0 || number >= count) return refuse_number(to, "a keyword", number);
    add(to, name)->text = strview(words[number]);
    return true;
}

static bool add_fft(AttrDecoder *to) {
    static const char *const types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    IntSpan length;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_FFT_LENGTH, &length)) return false;
    add(to, HLO_FFT_LENGTH)->ints = length;
    return add_word(to, HLO_FFT_TYPE, HLO_FIELD_INSTR_FFT_TYPE, types, 4);
}

static bool add_compare(AttrDecoder *to) {
    StrView type = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_COMPARE_TYPE);
    add(to, HLO_DIRECTION)->text = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_DIRECTION);
    if (strview_is(type, "TOTALORDER")) add(to, HLO_TYPE)->text = type; // others are the operands'
    return true;
}

// ---- devices ----

static bool add_group_rows(AttrDecoder *to, const Messages *list) {
    IntSpan *rows = ARENA_ARRAY(to->decoder->arena, IntSpan, list->count + 1);
    for (int64_t i = 0; i < list->count; i++) {
        ProtoMessage message = proto_message(list->data[i]);
        ProtoField field;
        ProtoInts ids = {0};
        while (proto_next(&message, &field)) {
            if (field.number == 1 && !hlo_decode_ints(to->decoder, &field, &ids)) return false;
        }
        if (!hlo_decode_end(to->decoder, &message)) return false;
        rows[i] = proto_span(&ids);
    }
    HloGroups groups = {0};
    if (!hlo_row_groups(to->decoder->arena, list->count, rows, &groups))
        return hlo_decode_fail(to->decoder, "so many devices are not supported");
    add(to, HLO_REPLICA_GROUPS)->groups = groups;
    return true;
}

// IotaReplicaGroupListProto
static bool add_iota_groups(AttrDecoder *to, StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts dims = {0}, order = {0};
    int64_t count = 0, size = 0;
    while (proto_next(&message, &field)) {
        bool ok = true;
        if (field.number == 1) count = (int64_t)field.value;
        if (field.number == 2) size = (int64_t)field.value;
        if (field.number == 3) ok = hlo_decode_ints(to->decoder, &field, &dims);
        if (field.number == 4) ok = hlo_decode_ints(to->decoder, &field, &order);
        if (!ok) return false;
    }
    HloGroups groups = {0};
    bool ok = dims.count == order.count && dims.count <= MAX_RANK &&
              hlo_iota_groups(
                  to->decoder->arena, count, size, (int)dims.count, dims.data, order.data, &groups);
    if (!ok) return hlo_decode_fail(to->decoder, "the groups are no arrangement of the devices");
    add(to, HLO_REPLICA_GROUPS)->groups = groups;
    return hlo_decode_end(to->decoder, &message);
}

// A list in the form of an iota, a CollectiveDeviceListProto, or a list of groups in older programs
static bool add_groups(AttrDecoder *to) {
    Messages rows = {0}, iota = {0};
    const ProtoField *devices = hlo_field(to->decoder, HLO_FIELD_INSTR_DEVICE_LIST);
    own_messages(to, HLO_FIELD_INSTR_REPLICA_GROUPS, &rows);
    own_messages(to, HLO_FIELD_INSTR_IOTA_GROUPS, &iota);
    if (devices) {
        rows.count = 0;
        if (!list_messages(to, devices->bytes, 1, &rows) ||
            !list_messages(to, devices->bytes, 2, &iota))
            return false;
    }
    if (iota.count > 0) return add_iota_groups(to, vec_last(&iota));
    return add_group_rows(to, &rows);
}

static bool add_pairs_of_devices(AttrDecoder *to) {
    Messages list = {0};
    own_messages(to, HLO_FIELD_INSTR_SOURCE_TARGET_PAIRS, &list);
    IntSpan *rows = ARENA_ARRAY(to->decoder->arena, IntSpan, list.count + 1);
    int64_t *numbers = ARENA_ARRAY(to->decoder->arena, int64_t, 2 * list.count + 1);
    for (int64_t i = 0; i < list.count; i++) {
        if (!read_numbers(to, list.data[i], &numbers[2 * i], 2)) return false;
        rows[i] = (IntSpan){&numbers[2 * i], 2};
    }
    HloGroups pairs = {0};
    if (!hlo_row_groups(to->decoder->arena, list.count, rows, &pairs))
        return hlo_decode_fail(to->decoder, "so many devices are not supported");
    add(to, HLO_SOURCE_TARGET_PAIRS)->groups = pairs;
    return true;
}

static bool is_collective(const AttrDecoder *to) {
    return opcode_begins(to, "all-") || opcode_begins(to, "reduce-scatter") ||
           opcode_begins(to, "collective-broadcast");
}

static bool add_collective(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    int64_t channel = hlo_field_int(decoder, HLO_FIELD_INSTR_CHANNEL_ID);
    if (channel <= 0) channel = hlo_field_int(decoder, HLO_FIELD_INSTR_ALL_REDUCE_ID);
    if (channel > 0) add(to, HLO_CHANNEL_ID)->number = channel;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_USE_GLOBAL_IDS))
        add(to, HLO_USE_GLOBAL_IDS)->flag = true;
    if (opcode_begins(to, "collective-permute")) return add_pairs_of_devices(to);
    return !is_collective(to) || add_groups(to);
}

// ---- computations ----

// Which attributes the called computations are, in order; the last one has all that remain.
static bool add_calls(AttrDecoder *to) {
    static const struct {
        const char *opcode;
        HloAttrName names[2];
        int count; // 0: any number of them
    } rows[] = {
        {"while", {HLO_BODY, HLO_CONDITION}, 2},
        {"select-and-scatter", {HLO_SELECT, HLO_SCATTER}, 2},
        {"conditional", {HLO_BRANCHES}, 0},
        {"custom-call", {HLO_CALLED_COMPUTATIONS}, 0},
        {"fusion", {HLO_CALLS}, 1},
        {"async-start", {HLO_CALLS}, 1}};
    IntSpan ids;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_CALLS, &ids)) return false;
    if (ids.count == 0) return true;
    HloComputation **found = ARENA_ARRAY(to->decoder->arena, HloComputation *, ids.count);
    for (int i = 0; i < ids.count; i++) {
        StrView key = {(const char *)&ids.data[i], sizeof ids.data[i]};
        found[i] = str_map_get(&to->decoder->computations, key);
        if (!found[i])
            return hlo_decode_fail(
                to->decoder, "there is no computation of the number %lld", (long long)ids.data[i]);
    }
    HloAttrName one[2] = {HLO_TO_APPLY};
    const HloAttrName *names = one;
    int count = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!opcode_is(to, rows[i].opcode)) continue;
        names = rows[i].names;
        count = rows[i].count;
    }
    if (count == 0) {
        add(to, names[0])->calls = (HloCalls){found, ids.count};
        return true;
    }
    if (ids.count != count)
        return hlo_decode_fail(
            to->decoder, "'%.*s' op calls %d computations, expected %d", SV_ARG(to->instr->opcode),
            ids.count, count);
    for (int i = 0; i < count; i++)
        add(to, names[i])->calls = (HloCalls){found + i, 1};
    return true;
}

// ---- custom calls ----

static bool add_custom_call(AttrDecoder *to) {
    static const char *const versions[] = {
        "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    HloDecoder *decoder = to->decoder;
    add(to, HLO_CALL_TARGET)->text = hlo_field_bytes(decoder, HLO_FIELD_INSTR_CALL_TARGET);
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_HAS_SIDE_EFFECT))
        add(to, HLO_HAS_SIDE_EFFECT)->flag = true;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_API_VERSION) > 1 &&
        !add_word(to, HLO_API_VERSION, HLO_FIELD_INSTR_API_VERSION, versions, 5))
        return false;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_CONSTRAIN_LAYOUT)) {
        Messages list = {0};
        own_messages(to, HLO_FIELD_INSTR_OPERAND_SHAPES, &list);
        HloShape *shapes = ARENA_ARRAY(decoder->arena, HloShape, list.count + 1);
        for (int64_t i = 0; i < list.count; i++) {
            if (!hlo_decode_shape(decoder, list.data[i], &shapes[i])) return false;
        }
        add(to, HLO_OPERAND_LAYOUTS)->shapes = (HloShapes){shapes, (int)list.count};
    }
    Messages aliasing = {0};
    own_messages(to, HLO_FIELD_INSTR_OUTPUT_ALIASING, &aliasing);
    HloAlias *aliases = ARENA_ARRAY(decoder->arena, HloAlias, aliasing.count + 1);
    for (int64_t i = 0; i < aliasing.count; i++) {
        if (!hlo_decode_alias(decoder, aliasing.data[i], 1, 2, 3, &aliases[i])) return false;
    }
    if (aliasing.count > 0)
        add(to, HLO_OUTPUT_ALIASING)->aliases = (HloAliases){aliases, aliasing.count};
    return true;
}

// ---- annotations ----

static int compare_pairs(const HloPairs *pairs, int a, int b) {
    return strview_compare(pairs->names[a], pairs->names[b]);
}

// In order of names, as text has them: a map's own order is any.
static HloPairs sorted_pairs(Arena *arena, const HloPairs *pairs) {
    StrView *names = ARENA_ARRAY(arena, StrView, pairs->count + 1);
    StrView *texts = ARENA_ARRAY(arena, StrView, pairs->count + 1);
    int *order = ARENA_ARRAY(arena, int, 2 * (int64_t)pairs->count + 2);
    int *from = order, *into = order + pairs->count;
    for (int i = 0; i < pairs->count; i++)
        from[i] = i;
    for (int width = 1; width < pairs->count; width *= 2) { // merge sort
        for (int start = 0; start < pairs->count; start += 2 * width) {
            int middle = start + width < pairs->count ? start + width : pairs->count;
            int end = middle + width < pairs->count ? middle + width : pairs->count;
            int a = start, b = middle;
            for (int i = start; i < end; i++) {
                bool left = a < middle && (b == end || compare_pairs(pairs, from[a], from[b]) <= 0);
                into[i] = left ? from[a++] : from[b++];
            }
        }
        int *swapped = from;
        from = into;
        into = swapped;
    }
    for (int i = 0; i < pairs->count; i++) {
        names[i] = pairs->names[from[i]];
        texts[i] = pairs->texts[from[i]];
    }
    return (HloPairs){names, texts, pairs->count};
}

bool hlo_decode_pairs(HloDecoder *decoder, StrView bytes, HloPairs *pairs) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    VEC(StrView) names = {0}, texts = {0};
    while (proto_next(&message, &field)) {
        if (field.number != 1) continue;
        ProtoMessage entry = proto_message(field.bytes);
        ProtoField part;
        StrView words[2] = {SV(""), SV("")};
        while (proto_next(&entry, &part)) {
            if (part.number <= 2) words[part.number - 1] = part.bytes;
        }
        if (!hlo_decode_end(decoder, &entry)) return false;
        if (names.count == INT32_MAX / 2)
            return hlo_decode_fail(decoder, "too many frontend attributes");
        vec_push(decoder->arena, &names, words[0]);
        vec_push(decoder->arena, &texts, words[1]);
    }
    HloPairs given = {names.data, texts.data, (int)names.count};
    *pairs = sorted_pairs(decoder->arena, &given);
    return hlo_decode_end(decoder, &message);
}

// OpSharding as text, which the importer of shardings reads again.
static bool add_sharding(AttrDecoder *to, StrView bytes) {
    HloDecoder *decoder = to->decoder;
    GspmdSharding value;
    const char *problem;
    if (!gspmd_decode(decoder->arena, bytes, &value, &problem))
        return hlo_decode_fail(decoder, "the sharding is damaged: %s", problem);
    HloSharding *sharding = ARENA_NEW(decoder->arena, HloSharding);
    sharding->is_tuple = value.kind == GSPMD_TUPLE;
    sharding->whole = gspmd_text(decoder->arena, &value);
    StrView *parts = ARENA_ARRAY(decoder->arena, StrView, (int64_t)value.part_count + 1);
    for (int i = 0; i < value.part_count; i++)
        parts[i] = gspmd_text(decoder->arena, &value.parts[i]);
    sharding->parts = parts;
    sharding->part_count = value.part_count;
    add(to, HLO_SHARDING)->sharding = sharding;
    return true;
}

// What instructions of any opcode may have.
static bool add_common(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    StrView config = hlo_field_bytes(decoder, HLO_FIELD_INSTR_BACKEND_CONFIG);
    StrView frontend = hlo_field_bytes(decoder, HLO_FIELD_INSTR_FRONTEND);
    const ProtoField *sharding = hlo_field(decoder, HLO_FIELD_INSTR_SHARDING);
    if (config.size > 0) {
        enum { TYPED_FFI = 4 };
        HloAttr *attr = add(to, HLO_BACKEND_CONFIG);
        attr->text = config;
        attr->is_string = hlo_field_int(decoder, HLO_FIELD_INSTR_API_VERSION) != TYPED_FFI;
    }
    if (frontend.size > 0) {
        HloPairs pairs;
        if (!hlo_decode_pairs(decoder, frontend, &pairs)) return false;
        add(to, HLO_FRONTEND)->pairs = pairs;
    }
    return !sharding || add_sharding(to, sharding->bytes);
}

// ---- fields by opcode ----

static bool add_dimensions(AttrDecoder *to) {
    IntSpan dims;
    bool is_inferred = opcode_is(to, "reshape") || opcode_is(to, "dynamic-reshape");
    if (is_inferred) return true; // of dynamic shapes only
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_DIMENSIONS, &dims)) return false;
    if (opcode_is(to, "iota")) {
        if (dims.count == 1) add(to, HLO_IOTA_DIMENSION)->number = dims.data[0];
    } else if (dims.count > 0) {
        add(to, HLO_DIMENSIONS)->ints = dims;
    }
    return true;
}

static double float_of(int64_t bits) {
    uint32_t word = (uint32_t)bits;
    float number;
    memcpy(&number, &word, sizeof number);
    return (double)number;
}

static void add_flag(AttrDecoder *to, HloAttrName name, int field) {
    if (hlo_field_int(to->decoder, field)) add(to, name)->flag = true;
}

static void add_number(AttrDecoder *to, HloAttrName name, int field) {
    add(to, name)->number = hlo_field_int(to->decoder, field);
}

static bool add_random(AttrDecoder *to) {
    static const char *const distributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
    static const char *const algorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
    if (opcode_is(to, "rng"))
        return add_word(to, HLO_DISTRIBUTION, HLO_FIELD_INSTR_DISTRIBUTION, distributions, 3);
    return add_word(to, HLO_ALGORITHM, HLO_FIELD_INSTR_RNG_ALGORITHM, algorithms, 3);
}

// Opcodes with plain numbers, flags and texts.
static void add_plain(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    if (opcode_is(to, "get-tuple-element")) add_number(to, HLO_INDEX, HLO_FIELD_INSTR_TUPLE_INDEX);
    if (opcode_is(to, "reduce-precision")) {
        add_number(to, HLO_EXPONENT_BITS, HLO_FIELD_INSTR_EXPONENT_BITS);
        add_number(to, HLO_MANTISSA_BITS, HLO_FIELD_INSTR_MANTISSA_BITS);
    }
    if (opcode_begins(to, "batch-norm-")) {
        add(to, HLO_EPSILON)->real = float_of(hlo_field_int(decoder, HLO_FIELD_INSTR_EPSILON));
        add_number(to, HLO_FEATURE_INDEX, HLO_FIELD_INSTR_FEATURE_INDEX);
    }
    if (opcode_is(to, "topk")) {
        add_number(to, HLO_K, HLO_FIELD_INSTR_K);
        add(to, HLO_LARGEST)->flag = hlo_field_int(decoder, HLO_FIELD_INSTR_LARGEST) != 0;
    }
    if (opcode_is(to, "sort")) add_flag(to, HLO_IS_STABLE, HLO_FIELD_INSTR_IS_STABLE);
    if (opcode_is(to, "gather") || opcode_is(to, "scatter"))
        add_flag(to, HLO_INDICES_ARE_SORTED, HLO_FIELD_INSTR_INDICES_ARE_SORTED);
    if (opcode_is(to, "scatter")) add_flag(to, HLO_UNIQUE_INDICES, HLO_FIELD_INSTR_UNIQUE_INDICES);
    if (opcode_is(to, "infeed"))
        add(to, HLO_INFEED_CONFIG)->text = hlo_field_bytes(decoder, HLO_FIELD_INSTR_INFEED_CONFIG);
    if (opcode_is(to, "outfeed"))
        add(to, HLO_OUTFEED_CONFIG)->text =
            hlo_field_bytes(decoder, HLO_FIELD_INSTR_OUTFEED_CONFIG);
    if (opcode_is(to, "send") || opcode_is(to, "recv")) {
        add_number(to, HLO_CHANNEL_ID, HLO_FIELD_INSTR_CHANNEL_ID);
        add_flag(to, HLO_IS_HOST_TRANSFER, HLO_FIELD_INSTR_IS_HOST_TRANSFER);
    }
}

static bool add_cholesky(AttrDecoder *to) {
    static const IntField rows[] = {{1, HLO_LOWER, false}};
    return add_ints(to, hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_CHOLESKY), rows, 1);
}

static bool add_dynamic_slice(AttrDecoder *to) {
    IntSpan sizes;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_DYNAMIC_SLICE_SIZES, &sizes)) return false;
    add(to, HLO_DYNAMIC_SLICE_SIZES)->ints = sizes;
    return true;
}

static bool add_by_opcode(AttrDecoder *to) {
    static const struct {
        const char *opcode;
        bool (*function)(AttrDecoder *to);
    } rows[] = {
        {"slice", add_slice},
        {"pad", add_padding},
        {"dot", add_dot},
        {"convolution", add_convolution},
        {"gather", add_gather},
        {"scatter", add_scatter},
        {"triangular-solve", add_triangular_solve},
        {"cholesky", add_cholesky},
        {"fft", add_fft},
        {"compare", add_compare},
        {"custom-call", add_custom_call},
        {"dynamic-slice", add_dynamic_slice},
        {"rng", add_random},
        {"rng-bit-generator", add_random}};
    add_plain(to);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (opcode_is(to, rows[i].opcode)) return rows[i].function(to);
    }
    if (is_collective(to) || opcode_begins(to, "collective-")) return add_collective(to);
    return true;
}

// ---- fields that are not known ----

static bool is_known(int number) {
    switch (number) {
#define HLO_FIELD(message, name, number) KNOWN_##message(number)
#define KNOWN_INSTR(number)              case number:
#define KNOWN_MODULE(number)
#define KNOWN_OUTER(number)
#define KNOWN_CONFIG(number)
#define KNOWN_COMPUTATION(number)
#define KNOWN_SHAPE(number)
#define KNOWN_LAYOUT(number)
#define KNOWN_LITERAL(number)
#define KNOWN_METADATA(number)
#define KNOWN_FRAMES(number)
#include "frontend/hlo/proto/hlo_fields.def"
        return true;
    default: return false;
    }
}

static bool check_fields(AttrDecoder *to) {
    static const StrView default_accuracy = {"\x08\x00", 2};
    const ProtoFields *fields = &to->decoder->fields;
    for (int64_t i = 0; i < fields->count; i++) {
        const ProtoField *field = &fields->data[i];
        if (field->number == HLO_FIELD_INSTR_RESULT_ACCURACY && field->bytes.size > 0 &&
            !strview_equal(field->bytes, default_accuracy))
            add_unknown(to, "result_accuracy");
        if (is_known(field->number) || (field->value == 0 && field->bytes.size == 0)) continue;
        return hlo_decode_refuse(
            to->decoder, "'%.*s' op field %d of the protobuf is not known",
            SV_ARG(to->instr->opcode), field->number);
    }
    return true;
}

bool hlo_decode_attrs(HloDecoder *decoder, HloInstr *instr) {
    AttrDecoder to = {.decoder = decoder, .instr = instr};
    StrView window = hlo_field_bytes(decoder, HLO_FIELD_INSTR_WINDOW);
    if (!check_fields(&to) || !add_dimensions(&to) || !add_window(&to, window) || !add_calls(&to) ||
        !add_by_opcode(&to) || !add_common(&to))
        return false;
    instr->attrs = to.attrs.data;
    instr->attr_count = (int)to.attrs.count;
    return true;
}
