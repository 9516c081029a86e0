// split_selections: select_and_scatter in two steps.
//
//   In      a device program in canonical form.
//   Out     where every element would ask many windows which of their elements each selects
//           (the gradient of a max-pooling with large windows, or with a stride of one), the number
//           of the selected element is found once for each window; then what comes from the window
//           is combined with that element, in the order of the windows.
//   Keeps   what the program computes.
//
//   before  %0 = select_and_scatter(%x : [8, 20, 20, 64], %u, %z), windows [1, 5, 5, 1] : ge, add
//   after   %1 = iota : [8, 25600], numbers of elements
//           %2 = reduce_window(%x, %1) : the selected element of each window, and its number
//           %0 = scatter(%z, %2#1 : [8, 25600, 1], %u : [8, 25600]) : add, for each of the 8
#include "ir/builder.h"
#include "ir/pass/passes.h"

// Questions of an element. Vectors of elements ask them together where neighbours are in windows of
// their own: more of them are as fast.
enum { MANY = 8, MANY_OF_VECTORS = 64 };

typedef struct Selection {
    Module *module;
    Builder builder;
    const Op *op;
    const Type *array, *source;
    const int64_t *size, *stride, *padding;
} Selection;

// Places of the first dimensions that windows have one place of: no window has a place in two.
static int64_t entries_of(const Selection *s) {
    int64_t entries = 1;
    for (int d = 0; d < s->array->rank && s->size[d] == 1 && s->stride[d] == 1; d++) {
        if (s->padding[2 * d] != 0 || s->padding[2 * d + 1] != 0) break;
        entries *= s->array->dims[d];
    }
    return entries;
}

static const Type *of_numbers(const Selection *s, const Type *like) {
    return type_tensor(s->module->context, ELEMENT_I32, like->rank, like->dims);
}

static bool is_selection(Module *module, const Op *op, Selection *s) {
    if (op->code != OP_SELECT_AND_SCATTER) return false;
    Arena *arena = module->arena;
    *s = (Selection){.module = module, .op = op};
    s->array = op_operand_type(op, 0);
    s->source = op_operand_type(op, 1);
    int rank = s->array->rank;
    s->size = op_ints_or(arena, op, NAME_WINDOW_DIMENSIONS, rank, 1);
    s->stride = op_ints_or(arena, op, NAME_WINDOW_STRIDES, rank, 1);
    s->padding = op_ints_or(arena, op, NAME_PADDING, 2 * rank, 0);
    const int64_t *base = op_ints_or(arena, op, NAME_BASE_DILATIONS, rank, 1),
                  *dilation = op_ints_or(arena, op, NAME_WINDOW_DILATIONS, rank, 1);
    double questions = 1; // windows of an element, times elements of a window
    for (int d = 0; d < rank; d++) {
        if (base[d] != 1 || dilation[d] != 1) return false;
        questions *= (double)s->size[d] * (double)s->size[d] / (double)s->stride[d];
    }
    int64_t elements = type_element_count(s->array);
    bool side_by_side = rank == 0 || s->size[rank - 1] == 1;
    return questions > (side_by_side ? MANY_OF_VECTORS : MANY) && elements > 0 &&
           elements <= INT32_MAX && type_element_count(s->source) > 0;
}

// (best, its number, x, its number) -> what stays selected. Numbers below 0 are no elements'.
static void build_choice(Selection *s, Region *region) {
    Module *module = s->module;
    const Region *select = s->op->regions[0];
    const Type *element = type_scalar(module->context, s->array->element),
               *number = type_scalar(module->context, ELEMENT_I32);
    const Type *types[4] = {element, number, element, number};
    Value *args[4];
    for (int i = 0; i < 4; i++)
        args[i] = region_add_arg(module, region, types[i], s->op->loc);
    Builder builder = builder_at_end(module, region);
    builder.loc = s->op->loc;
    PtrMap values = ptr_map(module->arena);
    ptr_map_set(&values, select->args[0], args[0]);
    ptr_map_set(&values, select->args[1], args[2]);
    const Op *end = region_terminator(select);
    for (const Op *op = select->first; op != end; op = op->next)
        op_clone(&builder, op, &values);
    Value *same = ptr_map_get(&values, op_operand(end, 0));
    Value *zero = build_splat_int(&builder, number, 0);
    Value *has_one = build_compare(&builder, DIRECTION_GE, args[1], zero),
          *is_none = build_compare(&builder, DIRECTION_LT, args[3], zero);
    Value *keeps = build_binary(&builder, OP_OR, is_none, same ? same : op_operand(end, 0));
    keeps = build_binary(&builder, OP_AND, has_one, keeps);
    Value *results[2] = {
        build_select(&builder, keeps, args[0], args[2]),
        build_select(&builder, keeps, args[1], args[3])};
    build_return(&builder, OP_RETURN, 2, results);
}

// The number of each window's selected element.
static Value *build_selected(Selection *s, Value *numbers) {
    Builder *b = &s->builder;
    Context *context = s->module->context;
    int rank = s->array->rank;
    Value *operands[4] = {
        op_operand(s->op, 0), numbers, build_splat(b, type_scalar(context, s->array->element), 0),
        build_splat_int(b, type_scalar(context, ELEMENT_I32), -1)};
    const Type *types[2] = {
        type_tensor(context, s->array->element, rank, s->source->dims), of_numbers(s, s->source)};
    Op *window = build_op(b, OP_REDUCE_WINDOW, 4, operands, 2, types, 1);
    op_set_attr(s->module, window, NAME_WINDOW_DIMENSIONS, attr_ints(context, rank, s->size));
    op_set_attr(s->module, window, NAME_WINDOW_STRIDES, attr_ints(context, rank, s->stride));
    op_set_attr(s->module, window, NAME_PADDING, attr_int_matrix(context, rank, 2, s->padding));
    build_choice(s, window->regions[0]);
    return op_result(window, 1);
}

// What windows have is added to the elements that they selected, window by window; entries are
// shared by the lanes.
static Value *build_sums(Selection *s, Value *selected) {
    Builder *b = &s->builder;
    Context *context = s->module->context;
    const Type *type = op_result_type(s->op, 0);
    int64_t entries = entries_of(s), zero = 0, one = 1;
    int64_t windows = type_element_count(s->source) / entries;
    int64_t flat[2] = {entries, type_element_count(type) / entries};
    const ScatterDims dims = {
        .inserted_window_dims = {.data = &one, .count = 1},
        .input_batching_dims = {.data = &zero, .count = 1},
        .scatter_indices_batching_dims = {.data = &zero, .count = 1},
        .scatter_dims_to_operand_dims = {.data = &one, .count = 1},
        .index_vector_dim = 2};
    const Type *sums = type_tensor(context, type->element, 2, flat);
    Value *operands[3] = {
        build_broadcast_in_dim(b, op_operand(s->op, 2), sums, NULL),
        build_reshape(b, selected, 3, (int64_t[]){entries, windows, 1}),
        build_reshape(b, op_operand(s->op, 1), 2, (int64_t[]){entries, windows})};
    Op *scatter = build_op(b, OP_SCATTER, 3, operands, 1, &sums, 1);
    const Attr prototype = {.kind = ATTR_SCATTER_DIMS, .scatter = &dims};
    op_set_attr(
        s->module, scatter, NAME_SCATTER_DIMENSION_NUMBERS, attr_intern(context, &prototype));
    PtrMap values = ptr_map(s->module->arena);
    region_clone_into(s->module, scatter->regions[0], s->op->regions[1], &values);
    return build_reshape(b, op_result(scatter, 0), type->rank, type->dims);
}

// The elements' numbers, of each entry from 0 on.
static Value *build_numbers(Selection *s) {
    Builder *b = &s->builder;
    Context *context = s->module->context;
    int64_t entries = entries_of(s), dims[2] = {entries, type_element_count(s->array) / entries};
    Value *numbers = build_iota(b, type_tensor(context, ELEMENT_I32, 2, dims), 1);
    return build_reshape(b, numbers, s->array->rank, s->array->dims);
}

static bool split_selection(Op *op, void *user) {
    Module *module = user;
    Selection s;
    if (!is_selection(module, op, &s)) return false;
    s.builder = builder_before(module, op);
    value_replace_uses(op_result(op, 0), build_sums(&s, build_selected(&s, build_numbers(&s))));
    op_erase(op);
    return true;
}

PassResult pass_split_selections(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_selection, module);
}
