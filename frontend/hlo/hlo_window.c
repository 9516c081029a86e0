// hlo_window: reductions, window reductions, and sorts: opcodes with a computation on scalars.
#include "frontend/hlo/hlo_window.h"

// 3x3, or 0_1x2_2 with `parts` numbers each; false with a diagnostic.
static bool read_product(HloLexer *lexer, int parts, int64_t *numbers, int *rank) {
    *rank = 0;
    do {
        if (*rank == MAX_RANK)
            return hlo_error(lexer, "more than %d dimensions are not supported", MAX_RANK);
        for (int k = 0; k < parts; k++) {
            if (k > 0 && !hlo_expect(lexer, "_")) return false;
            if (!hlo_read_int(lexer, &numbers[*rank * parts + k])) return false;
        }
        (*rank)++;
    } while (hlo_accept(lexer, "x"));
    return true;
}

static bool read_field(HloLexer *lexer, StrView key, Window *window, int *rank) {
    if (strview_is(key, "size")) return read_product(lexer, 1, window->size, rank);
    if (strview_is(key, "stride")) return read_product(lexer, 1, window->stride, rank);
    if (strview_is(key, "pad")) return read_product(lexer, 2, window->padding, rank);
    if (strview_is(key, "lhs_dilate")) return read_product(lexer, 1, window->base_dilation, rank);
    if (strview_is(key, "rhs_dilate")) return read_product(lexer, 1, window->window_dilation, rank);
    if (strview_is(key, "rhs_reversal")) return read_product(lexer, 1, window->reversal, rank);
    return hlo_error(lexer, "a window has no '%.*s'", SV_ARG(key));
}

bool hlo_window_attr(HloImporter *importer, HloInstr *instr, Window *window) {
    *window = (Window){0};
    for (int d = 0; d < MAX_RANK; d++)
        window->stride[d] = window->base_dilation[d] = window->window_dilation[d] = 1;
    const HloAttr *attr = hlo_attr(instr, "window");
    if (!attr) return true;
    HloLexer value = attr->value;
    if (!hlo_expect(&value, "{")) return false;
    while (!hlo_accept(&value, "}")) {
        StrView key;
        int rank;
        if (!hlo_read_word(&value, &key, "a part of a window") || !hlo_expect(&value, "=") ||
            !read_field(&value, key, window, &rank))
            return false;
        if (strview_is(key, "size")) window->rank = rank;
        if (rank != window->rank)
            return hlo_fail(importer, instr, "the window's parts have different ranks");
    }
    return true;
}

// ---- reductions ----

bool hlo_reduce(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    return op && hlo_copy_ints(importer, instr, "dimensions", op, NAME_DIMENSIONS) &&
           hlo_region_attr(importer, instr, op, 0, "to_apply");
}

bool hlo_map(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    return hlo_reduce(importer, instr, code, results);
}

static bool set_window(HloImporter *importer, HloInstr *instr, Op *op, Window *window) {
    Context *context = importer->context;
    if (!hlo_window_attr(importer, instr, window)) return false;
    int rank = window->rank;
    for (int d = 0; d < rank; d++) {
        if (window->reversal[d])
            return hlo_refuse(importer, instr, "with a reversed window is not supported");
    }
    hlo_set(importer, op, NAME_WINDOW_DIMENSIONS, attr_ints(context, rank, window->size));
    hlo_set(importer, op, NAME_WINDOW_STRIDES, attr_ints(context, rank, window->stride));
    hlo_set(importer, op, NAME_PADDING, attr_int_matrix(context, rank, 2, window->padding));
    return true;
}

bool hlo_reduce_window(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    Window window;
    if (!op || !set_window(importer, instr, op, &window)) return false;
    Context *context = importer->context;
    hlo_set(
        importer, op, NAME_BASE_DILATIONS, attr_ints(context, window.rank, window.base_dilation));
    hlo_set(
        importer, op, NAME_WINDOW_DILATIONS,
        attr_ints(context, window.rank, window.window_dilation));
    return hlo_region_attr(importer, instr, op, 0, "to_apply");
}

bool hlo_select_and_scatter(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 2, results);
    Window window;
    if (!op || !set_window(importer, instr, op, &window)) return false;
    for (int d = 0; d < window.rank; d++) {
        if (window.base_dilation[d] != 1 || window.window_dilation[d] != 1)
            return hlo_refuse(importer, instr, "with a dilated window is not supported");
    }
    return hlo_region_attr(importer, instr, op, 0, "select") &&
           hlo_region_attr(importer, instr, op, 1, "scatter");
}

// ---- sorts ----

bool hlo_sort(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    return op && hlo_copy_single(importer, instr, "dimensions", op, NAME_DIMENSION) &&
           hlo_copy_bool(importer, instr, "is_stable", op, NAME_IS_STABLE) &&
           hlo_region_attr(importer, instr, op, 0, "to_apply");
}

bool hlo_topk(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    bool is_largest = true;
    if (!op || !hlo_bool_attr(instr, "largest", &is_largest)) return false;
    if (!is_largest) hlo_set(importer, op, NAME_LARGEST, attr_bool(importer->context, false));
    return hlo_need_attr(importer, instr, "k") && hlo_copy_int(importer, instr, "k", op, NAME_K);
}
