// split_selections: select_and_scatter of large windows in two steps.
//
//   In      a device program in canonical form.
//   Out     where every element would ask many windows which of many elements each selects (the
//           gradient of a max-pooling with stride one), the number of the selected element is found
//           once for each window. Then every element adds what comes from the windows that contain
//           it and selected it, in the order of the windows.
//   Keeps   what the program computes.
//
//   before  %0 = select_and_scatter(%x : [8, 20, 20, 64], %u, %z), windows [1, 5, 5, 1] : ge, add
//   after   %1 = iota : [8, 20, 20, 64], numbers of elements
//           %2 = reduce_window(%x, %1) : the selected element of each window and its number
//           %3 = pad(%2#1 with -1), %4 = pad(%u)
//           %0 = %z, plus of 25 slices of %4 where the same slice of %3 has the element's number
#include "codegen/kernel/lower_class.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { MOST_POSITIONS = 64, MANY_QUESTIONS = 64 };

typedef struct Selection {
    Module *module;
    Builder builder;
    const Op *op;
    const Type *array, *source;
    const int64_t *size, *stride, *padding;
    int64_t count; // positions of a window
} Selection;

static const Type *of_numbers(const Selection *s, const Type *like) {
    return type_tensor(s->module->context, ELEMENT_I32, like->rank, like->dims);
}

static bool is_selection(Module *module, const Op *op, Selection *s) {
    if (op->code != OP_SELECT_AND_SCATTER || region_reduction_op(op->regions[1]) != OP_ADD)
        return false;
    Arena *arena = module->arena;
    *s = (Selection){.module = module, .op = op, .count = 1};
    s->array = op_operand_type(op, 0);
    s->source = op_operand_type(op, 1);
    int rank = s->array->rank;
    s->size = op_ints_or(arena, op, NAME_WINDOW_DIMENSIONS, rank, 1);
    s->stride = op_ints_or(arena, op, NAME_WINDOW_STRIDES, rank, 1);
    s->padding = op_ints_or(arena, op, NAME_PADDING, 2 * rank, 0);
    const int64_t *base = op_ints_or(arena, op, NAME_BASE_DILATIONS, rank, 1),
                  *dilation = op_ints_or(arena, op, NAME_WINDOW_DILATIONS, rank, 1);
    int64_t strides = 1;
    for (int d = 0; d < rank; d++) {
        if (base[d] != 1 || dilation[d] != 1) return false;
        s->count *= s->size[d];
        strides *= s->stride[d];
    }
    int64_t elements = type_element_count(s->array);
    return s->count <= MOST_POSITIONS && s->count * s->count > MANY_QUESTIONS * strides &&
           elements > 0 && elements <= INT32_MAX && type_element_count(s->source) > 0;
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

// x, of the windows, such that what position w of windows has for the first element is at
// size - 1 - w, and for its neighbours beside it.
static Value *build_spread(Selection *s, Value *x, Value *between) {
    int64_t low[MAX_RANK], high[MAX_RANK], interior[MAX_RANK];
    for (int d = 0; d < s->array->rank; d++) {
        int64_t places = (s->source->dims[d] - 1) * s->stride[d] + 1;
        low[d] = s->size[d] - 1 - s->padding[2 * d];
        high[d] = s->array->dims[d] + s->size[d] - 1 - low[d] - places;
        interior[d] = s->stride[d] - 1;
    }
    return build_pad(&s->builder, x, between, low, high, interior);
}

static void split_selection(Selection *s) {
    Builder *b = &s->builder;
    Context *context = s->module->context;
    const Type *type = op_result_type(s->op, 0);
    int64_t elements = type_element_count(type);
    Value *numbers = build_iota(b, type_tensor(context, ELEMENT_I32, 1, &elements), 0);
    numbers = build_reshape(b, numbers, type->rank, type->dims);
    Value *none = build_splat_int(b, type_scalar(context, ELEMENT_I32), -1);
    Value *selected = build_spread(s, build_selected(s, numbers), none);
    Value *source = build_spread(
        s, op_operand(s->op, 1), build_splat(b, type_scalar(context, type->element), 0));
    Value *sum = build_broadcast_in_dim(b, op_operand(s->op, 2), type, NULL);
    for (int64_t n = 0; n < s->count; n++) { // of positions the last one first: windows in order
        int64_t start[MAX_RANK], limit[MAX_RANK], rest = n;
        for (int d = type->rank - 1; d >= 0; d--) {
            start[d] = rest % s->size[d];
            limit[d] = start[d] + type->dims[d];
            rest /= s->size[d];
        }
        Value *from = build_slice(b, selected, start, limit, NULL);
        Value *is_here = build_compare(b, DIRECTION_EQ, from, numbers);
        Value *more = build_binary(b, OP_ADD, sum, build_slice(b, source, start, limit, NULL));
        sum = build_select(b, is_here, more, sum);
    }
    value_replace_uses(op_result(s->op, 0), sum);
}

static void split_region(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        Selection s;
        if (is_selection(module, op, &s)) {
            s.builder = builder_before(module, op);
            split_selection(&s);
            op_erase(op);
        } else if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++)
                split_region(module, op->regions[r]);
        }
    }
}

PassResult pass_split_selections(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    split_region(module, func_body(main));
    return PASS_CHANGED;
}
