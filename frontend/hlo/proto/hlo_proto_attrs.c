// hlo_proto_attrs: the fields of HloInstructionProto as attributes, as HLO's text has them. What a
// protobuf leaves out because it is zero is added where the opcode needs it.
#include "frontend/hlo/proto/hlo_attr_decoder.h"

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
        if (!hlo_opcode_is(to, rows[i].opcode)) continue;
        names = rows[i].names;
        count = rows[i].count;
    }
    if (count == 0) {
        hlo_attr_add(to, names[0])->calls = (HloCalls){found, ids.count};
        return true;
    }
    if (ids.count != count)
        return hlo_decode_fail(
            to->decoder, "'%.*s' op calls %d computations, expected %d", SV_ARG(to->instr->opcode),
            ids.count, count);
    for (int i = 0; i < count; i++)
        hlo_attr_add(to, names[i])->calls = (HloCalls){found + i, 1};
    return true;
}

// ---- custom calls ----

static bool add_custom_call(AttrDecoder *to) {
    static const char *const versions[] = {
        "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    HloDecoder *decoder = to->decoder;
    hlo_attr_add(to, HLO_CALL_TARGET)->text = hlo_field_bytes(decoder, HLO_FIELD_INSTR_CALL_TARGET);
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_HAS_SIDE_EFFECT))
        hlo_attr_add(to, HLO_HAS_SIDE_EFFECT)->flag = true;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_API_VERSION) > 1 &&
        !hlo_attr_add_word(to, HLO_API_VERSION, HLO_FIELD_INSTR_API_VERSION, versions, 5))
        return false;
    if (hlo_field_int(decoder, HLO_FIELD_INSTR_CONSTRAIN_LAYOUT)) {
        Messages list = {0};
        hlo_attr_own_messages(to, HLO_FIELD_INSTR_OPERAND_SHAPES, &list);
        HloShape *shapes = ARENA_ARRAY(decoder->arena, HloShape, list.count + 1);
        for (int64_t i = 0; i < list.count; i++) {
            if (!hlo_decode_shape(decoder, list.data[i], &shapes[i])) return false;
        }
        hlo_attr_add(to, HLO_OPERAND_LAYOUTS)->shapes = (HloShapes){shapes, (int)list.count};
    }
    Messages aliasing = {0};
    hlo_attr_own_messages(to, HLO_FIELD_INSTR_OUTPUT_ALIASING, &aliasing);
    HloAlias *aliases = ARENA_ARRAY(decoder->arena, HloAlias, aliasing.count + 1);
    for (int64_t i = 0; i < aliasing.count; i++) {
        if (!hlo_decode_alias(decoder, aliasing.data[i], 1, 2, 3, &aliases[i])) return false;
    }
    if (aliasing.count > 0)
        hlo_attr_add(to, HLO_OUTPUT_ALIASING)->aliases = (HloAliases){aliases, aliasing.count};
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
        HloAttr *attr = hlo_attr_add(to, HLO_BACKEND_CONFIG);
        attr->text = config;
        attr->is_string = hlo_field_int(decoder, HLO_FIELD_INSTR_API_VERSION) != TYPED_FFI;
    }
    if (frontend.size > 0) {
        HloPairs pairs;
        if (!hlo_decode_pairs(decoder, frontend, &pairs)) return false;
        hlo_attr_add(to, HLO_FRONTEND)->pairs = pairs;
    }
    return !sharding || hlo_add_sharding(to, sharding->bytes);
}

static bool add_fft(AttrDecoder *to) {
    static const char *const types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    IntSpan length;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_FFT_LENGTH, &length)) return false;
    hlo_attr_add(to, HLO_FFT_LENGTH)->ints = length;
    return hlo_attr_add_word(to, HLO_FFT_TYPE, HLO_FIELD_INSTR_FFT_TYPE, types, 4);
}

static bool add_compare(AttrDecoder *to) {
    StrView type = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_COMPARE_TYPE);
    hlo_attr_add(to, HLO_DIRECTION)->text = hlo_field_bytes(to->decoder, HLO_FIELD_INSTR_DIRECTION);
    if (strview_is(type, "TOTALORDER"))
        hlo_attr_add(to, HLO_TYPE)->text = type; // others are the operands'
    return true;
}

// ---- fields by opcode ----

static bool add_dimensions(AttrDecoder *to) {
    IntSpan dims;
    bool is_inferred = hlo_opcode_is(to, "reshape") || hlo_opcode_is(to, "dynamic-reshape");
    if (is_inferred) return true; // of dynamic shapes only
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_DIMENSIONS, &dims)) return false;
    if (hlo_opcode_is(to, "iota")) {
        if (dims.count == 1) hlo_attr_add(to, HLO_IOTA_DIMENSION)->number = dims.data[0];
    } else if (dims.count > 0) {
        hlo_attr_add(to, HLO_DIMENSIONS)->ints = dims;
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
    if (hlo_field_int(to->decoder, field)) hlo_attr_add(to, name)->flag = true;
}

static void add_number(AttrDecoder *to, HloAttrName name, int field) {
    hlo_attr_add(to, name)->number = hlo_field_int(to->decoder, field);
}

static bool add_random(AttrDecoder *to) {
    static const char *const distributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
    static const char *const algorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
    if (hlo_opcode_is(to, "rng"))
        return hlo_attr_add_word(
            to, HLO_DISTRIBUTION, HLO_FIELD_INSTR_DISTRIBUTION, distributions, 3);
    return hlo_attr_add_word(to, HLO_ALGORITHM, HLO_FIELD_INSTR_RNG_ALGORITHM, algorithms, 3);
}

// Opcodes with plain numbers, flags and texts.
static void add_plain(AttrDecoder *to) {
    HloDecoder *decoder = to->decoder;
    if (hlo_opcode_is(to, "get-tuple-element"))
        add_number(to, HLO_INDEX, HLO_FIELD_INSTR_TUPLE_INDEX);
    if (hlo_opcode_is(to, "reduce-precision")) {
        add_number(to, HLO_EXPONENT_BITS, HLO_FIELD_INSTR_EXPONENT_BITS);
        add_number(to, HLO_MANTISSA_BITS, HLO_FIELD_INSTR_MANTISSA_BITS);
    }
    if (hlo_opcode_begins(to, "batch-norm-")) {
        hlo_attr_add(to, HLO_EPSILON)->real =
            float_of(hlo_field_int(decoder, HLO_FIELD_INSTR_EPSILON));
        add_number(to, HLO_FEATURE_INDEX, HLO_FIELD_INSTR_FEATURE_INDEX);
    }
    if (hlo_opcode_is(to, "topk")) {
        add_number(to, HLO_K, HLO_FIELD_INSTR_K);
        hlo_attr_add(to, HLO_LARGEST)->flag = hlo_field_int(decoder, HLO_FIELD_INSTR_LARGEST) != 0;
    }
    if (hlo_opcode_is(to, "sort")) add_flag(to, HLO_IS_STABLE, HLO_FIELD_INSTR_IS_STABLE);
    if (hlo_opcode_is(to, "gather") || hlo_opcode_is(to, "scatter"))
        add_flag(to, HLO_INDICES_ARE_SORTED, HLO_FIELD_INSTR_INDICES_ARE_SORTED);
    if (hlo_opcode_is(to, "scatter"))
        add_flag(to, HLO_UNIQUE_INDICES, HLO_FIELD_INSTR_UNIQUE_INDICES);
    if (hlo_opcode_is(to, "infeed"))
        hlo_attr_add(to, HLO_INFEED_CONFIG)->text =
            hlo_field_bytes(decoder, HLO_FIELD_INSTR_INFEED_CONFIG);
    if (hlo_opcode_is(to, "outfeed"))
        hlo_attr_add(to, HLO_OUTFEED_CONFIG)->text =
            hlo_field_bytes(decoder, HLO_FIELD_INSTR_OUTFEED_CONFIG);
    if (hlo_opcode_is(to, "send") || hlo_opcode_is(to, "recv")) {
        add_number(to, HLO_CHANNEL_ID, HLO_FIELD_INSTR_CHANNEL_ID);
        add_flag(to, HLO_IS_HOST_TRANSFER, HLO_FIELD_INSTR_IS_HOST_TRANSFER);
    }
}

static bool add_dynamic_slice(AttrDecoder *to) {
    IntSpan sizes;
    if (!hlo_field_ints(to->decoder, HLO_FIELD_INSTR_DYNAMIC_SLICE_SIZES, &sizes)) return false;
    hlo_attr_add(to, HLO_DYNAMIC_SLICE_SIZES)->ints = sizes;
    return true;
}

static bool add_by_opcode(AttrDecoder *to) {
    static const struct {
        const char *opcode;
        bool (*function)(AttrDecoder *to);
    } rows[] = {
        {"slice", hlo_add_slice},
        {"pad", hlo_add_padding},
        {"dot", hlo_add_dot},
        {"convolution", hlo_add_convolution},
        {"gather", hlo_add_gather},
        {"scatter", hlo_add_scatter},
        {"triangular-solve", hlo_add_triangular_solve},
        {"cholesky", hlo_add_cholesky},
        {"fft", add_fft},
        {"compare", add_compare},
        {"custom-call", add_custom_call},
        {"dynamic-slice", add_dynamic_slice},
        {"rng", add_random},
        {"rng-bit-generator", add_random}};
    add_plain(to);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (hlo_opcode_is(to, rows[i].opcode)) return rows[i].function(to);
    }
    if (hlo_is_collective(to) || hlo_opcode_begins(to, "collective-"))
        return hlo_add_collective(to);
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
            hlo_attr_add_unknown(to, "result_accuracy");
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
    if (!check_fields(&to) || !add_dimensions(&to) || !hlo_add_window(&to, window) ||
        !add_calls(&to) || !add_by_opcode(&to) || !add_common(&to))
        return false;
    instr->attrs = to.attrs.data;
    instr->attr_count = (int)to.attrs.count;
    return true;
}
