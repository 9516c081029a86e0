// hlo_contract: matrix products, convolutions, transforms, solvers, normalisation.
#include "frontend/hlo/hlo_import.h"

static bool copy_precision(HloImporter *importer, HloInstr *instr, Op *op) {
    const HloAttr *attr = hlo_attr(instr, HLO_PRECISION);
    if (!attr) return true;
    const Attr *items[2];
    if (attr->words.count > 2)
        return hlo_fail(importer, instr, "has more precisions than operands");
    for (int i = 0; i < attr->words.count; i++) {
        StrView word = attr->words.data[i];
        int keyword;
        if (!enum_from_keyword(ENUM_PRECISION, hlo_capitals(importer, word), &keyword))
            return hlo_refuse(
                importer, instr, "the precision '%.*s' is not supported", SV_ARG(word));
        items[i] = attr_enum(importer->context, ENUM_PRECISION, keyword);
    }
    hlo_set(
        importer, op, NAME_PRECISION_CONFIG,
        attr_array(importer->context, attr->words.count, items));
    return true;
}

// dot_bf16_bf16_f32_x3: operand types, type of the sum, steps
static bool algorithm_type(StrView word, ElementType *element, bool *is_tf32) {
    *is_tf32 = strview_is(word, "tf32");
    *element = ELEMENT_F32;
    return *is_tf32 || hlo_element_from_word(word, element);
}

static StrView next_part(StrView *text) {
    const char *end = text->size ? memchr(text->data, '_', text->size) : NULL;
    size_t size = end ? (size_t)(end - text->data) : text->size;
    StrView part = {text->data, size};
    size += end != NULL;
    *text = (StrView){text->data + size, text->size - size};
    return part;
}

static bool copy_algorithm(HloImporter *importer, HloInstr *instr, Op *op) {
    StrView word = hlo_text_attr(instr, HLO_ALGORITHM);
    if (word.size == 0 || strview_is(word, "dot_unset")) return true;
    StrView rest = word;
    DotAlgorithm algorithm = {.lhs_components = 1, .rhs_components = 1, .primitive_operations = 1};
    bool ok = strview_is(next_part(&rest), "dot") && !strview_is(rest, "any_f8_any_f8_f32") &&
              !strview_is(rest, "any_f8_any_f8_f32_fast_accum");
    ok = ok && algorithm_type(next_part(&rest), &algorithm.lhs_precision, &algorithm.lhs_is_tf32) &&
         algorithm_type(next_part(&rest), &algorithm.rhs_precision, &algorithm.rhs_is_tf32) &&
         algorithm_type(next_part(&rest), &algorithm.accumulation, &algorithm.accumulation_is_tf32);
    if (ok && rest.size > 1 && rest.data[0] == 'x')
        ok = strview_to_int64(
            (StrView){rest.data + 1, rest.size - 1}, &algorithm.primitive_operations);
    else
        ok = ok && rest.size == 0;
    if (!ok || dot_algorithm_problem(importer->arena, &algorithm))
        return hlo_refuse(importer, instr, "algorithm '%.*s' is not supported", SV_ARG(word));
    const Attr prototype = {.kind = ATTR_DOT_ALGORITHM, .dot_algorithm = &algorithm};
    hlo_set(importer, op, NAME_ALGORITHM, attr_intern(importer->context, &prototype));
    return true;
}

bool hlo_dot(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    if (hlo_has_attr(instr, HLO_SPARSITY))
        return hlo_refuse(importer, instr, "of sparse operands is not supported");
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    DotDims dims = {
        .lhs_batch = hlo_ints_attr(instr, HLO_LHS_BATCH),
        .rhs_batch = hlo_ints_attr(instr, HLO_RHS_BATCH),
        .lhs_contracting = hlo_ints_attr(instr, HLO_LHS_CONTRACTING),
        .rhs_contracting = hlo_ints_attr(instr, HLO_RHS_CONTRACTING)};
    const Attr prototype = {.kind = ATTR_DOT_DIMS, .dot = &dims};
    hlo_set(importer, op, NAME_DOT_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    return copy_precision(importer, instr, op) && copy_algorithm(importer, instr, op);
}

// ---- convolutions ----

bool hlo_convolution(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    const HloAttr *labels = op ? hlo_need_attr(importer, instr, HLO_DIM_LABELS) : NULL;
    if (!labels) return false;
    const Attr prototype = {.kind = ATTR_CONV_DIMS, .conv = labels->labels};
    const HloWindow *window = hlo_window_attr(instr);
    Context *context = importer->context;
    int rank = window->rank;
    hlo_set(importer, op, NAME_DIMENSION_NUMBERS, attr_intern(context, &prototype));
    hlo_set(importer, op, NAME_WINDOW_STRIDES, attr_ints(context, rank, window->stride));
    hlo_set(importer, op, NAME_PADDING, attr_int_matrix(context, rank, 2, window->padding));
    hlo_set(importer, op, NAME_LHS_DILATION, attr_ints(context, rank, window->base_dilation));
    hlo_set(importer, op, NAME_RHS_DILATION, attr_ints(context, rank, window->window_dilation));
    hlo_set(importer, op, NAME_WINDOW_REVERSAL, attr_bools(context, rank, window->reversal));
    hlo_set(
        importer, op, NAME_FEATURE_GROUP_COUNT,
        attr_int(context, hlo_int_attr(instr, HLO_FEATURE_GROUP_COUNT, 1), ELEMENT_I64));
    hlo_set(
        importer, op, NAME_BATCH_GROUP_COUNT,
        attr_int(context, hlo_int_attr(instr, HLO_BATCH_GROUP_COUNT, 1), ELEMENT_I64));
    return copy_precision(importer, instr, op);
}

// ---- transforms and solvers ----

bool hlo_fft(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op || !hlo_copy_keyword(importer, instr, HLO_FFT_TYPE, "", op, NAME_FFT_TYPE, ENUM_FFT))
        return false;
    hlo_copy_ints(importer, instr, HLO_FFT_LENGTH, op, NAME_FFT_LENGTH);
    return true;
}

bool hlo_cholesky(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (op) hlo_copy_bool(importer, instr, HLO_LOWER, op, NAME_LOWER);
    return op != NULL;
}

// A flag that StableHLO wants, false where HLO leaves it out.
static void copy_flag(
    HloImporter *importer, HloInstr *instr, HloAttrName name, Op *op, AttrName to) {
    hlo_set(importer, op, to, attr_bool(importer->context, hlo_bool_attr(instr, name, false)));
}

bool hlo_triangular_solve(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    copy_flag(importer, instr, HLO_LEFT_SIDE, op, NAME_LEFT_SIDE);
    copy_flag(importer, instr, HLO_LOWER, op, NAME_LOWER);
    copy_flag(importer, instr, HLO_UNIT_DIAGONAL, op, NAME_UNIT_DIAGONAL);
    return hlo_copy_keyword(
        importer, instr, HLO_TRANSPOSE_A, "", op, NAME_TRANSPOSE_A, ENUM_TRANSPOSE);
}

bool hlo_batch_norm(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    const HloAttr *epsilon = op ? hlo_need_attr(importer, instr, HLO_EPSILON) : NULL;
    if (!epsilon) return false;
    hlo_set(
        importer, op, NAME_EPSILON,
        attr_float(importer->context, (double)(float)epsilon->real, ELEMENT_F32));
    return hlo_copy_int(importer, instr, HLO_FEATURE_INDEX, op, NAME_FEATURE_INDEX);
}

// ---- random numbers ----

// StableHLO has the result's shape as an operand.
bool hlo_rng(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    const Type *type = hlo_array_type(importer, instr);
    if (!type || !hlo_check_operands(importer, instr, 2)) return false;
    Value *low = hlo_array(importer, instr, 0);
    Value *high = low ? hlo_array(importer, instr, 1) : NULL;
    if (!high) return false;
    const Type *dims = type_tensor(importer->context, ELEMENT_I64, 1, (int64_t[]){type->rank});
    const Attr *shape = attr_elements(
        importer->context, dims, false, type->dims, (size_t)type->rank * sizeof(int64_t));
    HloValues operands = hlo_values(importer, 3);
    operands.data[0] = low;
    operands.data[1] = high;
    operands.data[2] = build_constant(&importer->builder, shape);
    Op *op = hlo_emit(importer, instr, code, operands, 0, results);
    return op && hlo_copy_keyword(
                     importer, instr, HLO_DISTRIBUTION, "rng_", op, NAME_RNG_DISTRIBUTION,
                     ENUM_RNG_DISTRIBUTION);
}

bool hlo_rng_bit_generator(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op &&
           hlo_copy_keyword(
               importer, instr, HLO_ALGORITHM, "rng_", op, NAME_RNG_ALGORITHM, ENUM_RNG_ALGORITHM);
}
