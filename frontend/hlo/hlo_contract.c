// hlo_contract: matrix products, convolutions, transforms, solvers, normalisation.
#include "frontend/hlo/hlo_import.h"
#include "frontend/hlo/hlo_window.h"

// operand_precision={highest,default}
static bool copy_precision(HloImporter *importer, HloInstr *instr, Op *op) {
    const HloAttr *attr = hlo_attr(instr, "operand_precision");
    if (!attr) return true;
    HloLexer value = attr->value;
    const Attr *items[2];
    int count = 0;
    if (!hlo_expect(&value, "{")) return false;
    do {
        StrView word;
        int keyword;
        HloLexer at = value;
        if (!hlo_read_word(&value, &word, "a precision")) return false;
        char *capitals = arena_cstring(importer->arena, word);
        for (char *p = capitals; *p; p++)
            *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        if (count == 2) return hlo_error(&at, "more precisions than operands");
        if (!enum_from_keyword(ENUM_PRECISION, strview(capitals), &keyword))
            return hlo_unsupported(&at, "the precision '%.*s' is not supported", SV_ARG(word));
        items[count++] = attr_enum(importer->context, ENUM_PRECISION, keyword);
    } while (hlo_accept(&value, ","));
    hlo_set(importer, op, NAME_PRECISION_CONFIG, attr_array(importer->context, count, items));
    return hlo_expect(&value, "}");
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
    StrView word = {NULL, 0};
    if (!hlo_word_attr(instr, "algorithm", &word)) return false;
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
    if (hlo_has_attr(instr, "sparsity"))
        return hlo_refuse(importer, instr, "of sparse operands is not supported");
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    DotDims dims = {0};
    bool ok = op && hlo_ints_attr(importer, instr, "lhs_batch_dims", &dims.lhs_batch) &&
              hlo_ints_attr(importer, instr, "rhs_batch_dims", &dims.rhs_batch) &&
              hlo_ints_attr(importer, instr, "lhs_contracting_dims", &dims.lhs_contracting) &&
              hlo_ints_attr(importer, instr, "rhs_contracting_dims", &dims.rhs_contracting);
    if (!ok) return false;
    const Attr prototype = {.kind = ATTR_DOT_DIMS, .dot = &dims};
    hlo_set(importer, op, NAME_DOT_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    return copy_precision(importer, instr, op) && copy_algorithm(importer, instr, op);
}

// ---- convolutions ----

// One array's dimensions: `b01f` says what each is. Letters: those of its batch and feature dimension.
static bool read_labels(
    HloImporter *importer, HloLexer *lexer, const char *letters, int64_t *batch, int64_t *feature,
    IntSpan *spatial) {
    int64_t *places = ARENA_ARRAY(importer->arena, int64_t, MAX_RANK);
    HloLexer at = *lexer;
    *batch = *feature = -1;
    spatial->data = places;
    for (int d = 0; d < MAX_RANK; d++)
        places[d] = -1;
    for (int d = 0; lexer->at < lexer->end; d++) {
        char c = *lexer->at;
        if (c == letters[0] && *batch < 0) {
            *batch = d;
        } else if (c == letters[1] && *feature < 0) {
            *feature = d;
        } else if (c >= '0' && c <= '9' && places[c - '0'] < 0) {
            places[c - '0'] = d;
            spatial->count++;
        } else if (c == '_' || c == '-') {
            break;
        } else {
            return hlo_error(&at, "dim_labels must be like b01f_01io->b01f");
        }
        lexer->at++;
    }
    bool ok = *batch >= 0 && *feature >= 0;
    for (int i = 0; i < spatial->count; i++)
        ok = ok && places[i] >= 0;
    return ok || hlo_error(&at, "dim_labels must be like b01f_01io->b01f");
}

static bool copy_labels(HloImporter *importer, HloInstr *instr, Op *op) {
    if (!hlo_need_attr(importer, instr, "dim_labels")) return false;
    HloLexer value = hlo_attr(instr, "dim_labels")->value;
    ConvDims dims = {0};
    bool ok =
        read_labels(
            importer, &value, "bf", &dims.input_batch, &dims.input_feature, &dims.input_spatial) &&
        hlo_expect(&value, "_") &&
        read_labels(
            importer, &value, "oi", &dims.kernel_output_feature, &dims.kernel_input_feature,
            &dims.kernel_spatial) &&
        hlo_expect(&value, "->") &&
        read_labels(
            importer, &value, "bf", &dims.output_batch, &dims.output_feature, &dims.output_spatial);
    if (!ok) return false;
    const Attr prototype = {.kind = ATTR_CONV_DIMS, .conv = &dims};
    hlo_set(importer, op, NAME_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    return true;
}

// A number, 1 where the attribute is absent.
static bool copy_count(
    HloImporter *importer, HloInstr *instr, const char *name, Op *op, AttrName to) {
    int64_t count = 1;
    if (!hlo_int_attr(instr, name, &count)) return false;
    hlo_set(importer, op, to, attr_int(importer->context, count, ELEMENT_I64));
    return true;
}

bool hlo_convolution(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    Window window;
    if (!op || !hlo_window_attr(importer, instr, &window) || !copy_labels(importer, instr, op))
        return false;
    Context *context = importer->context;
    int rank = window.rank;
    hlo_set(importer, op, NAME_WINDOW_STRIDES, attr_ints(context, rank, window.stride));
    hlo_set(importer, op, NAME_PADDING, attr_int_matrix(context, rank, 2, window.padding));
    hlo_set(importer, op, NAME_LHS_DILATION, attr_ints(context, rank, window.base_dilation));
    hlo_set(importer, op, NAME_RHS_DILATION, attr_ints(context, rank, window.window_dilation));
    hlo_set(importer, op, NAME_WINDOW_REVERSAL, attr_bools(context, rank, window.reversal));
    return copy_count(importer, instr, "feature_group_count", op, NAME_FEATURE_GROUP_COUNT) &&
           copy_count(importer, instr, "batch_group_count", op, NAME_BATCH_GROUP_COUNT) &&
           copy_precision(importer, instr, op);
}

// ---- transforms and solvers ----

bool hlo_fft(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op && hlo_copy_keyword(importer, instr, "fft_type", "", op, NAME_FFT_TYPE, ENUM_FFT) &&
           hlo_copy_ints(importer, instr, "fft_length", op, NAME_FFT_LENGTH);
}

bool hlo_cholesky(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op && hlo_copy_bool(importer, instr, "lower", op, NAME_LOWER);
}

// A flag that StableHLO wants, false where HLO leaves it out.
static bool copy_flag(
    HloImporter *importer, HloInstr *instr, const char *name, Op *op, AttrName to) {
    bool value = false;
    if (!hlo_bool_attr(instr, name, &value)) return false;
    hlo_set(importer, op, to, attr_bool(importer->context, value));
    return true;
}

bool hlo_triangular_solve(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op || !copy_flag(importer, instr, "left_side", op, NAME_LEFT_SIDE) ||
        !copy_flag(importer, instr, "lower", op, NAME_LOWER) ||
        !copy_flag(importer, instr, "unit_diagonal", op, NAME_UNIT_DIAGONAL))
        return false;
    return hlo_copy_keyword(
        importer, instr, "transpose_a", "", op, NAME_TRANSPOSE_A, ENUM_TRANSPOSE);
}

bool hlo_batch_norm(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op || !hlo_need_attr(importer, instr, "epsilon")) return false;
    HloLexer value = hlo_attr(instr, "epsilon")->value;
    StrView text = hlo_text(&value);
    double epsilon;
    if (!strview_to_double(text, &epsilon)) return hlo_expected(&value, "a number");
    hlo_set(
        importer, op, NAME_EPSILON,
        attr_float(importer->context, (double)(float)epsilon, ELEMENT_F32));
    return hlo_need_attr(importer, instr, "feature_index") &&
           hlo_copy_int(importer, instr, "feature_index", op, NAME_FEATURE_INDEX);
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
                     importer, instr, "distribution", "rng_", op, NAME_RNG_DISTRIBUTION,
                     ENUM_RNG_DISTRIBUTION);
}

bool hlo_rng_bit_generator(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op &&
           hlo_copy_keyword(
               importer, instr, "algorithm", "rng_", op, NAME_RNG_ALGORITHM, ENUM_RNG_ALGORITHM);
}
