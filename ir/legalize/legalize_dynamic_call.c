// JAX's custom calls for ops that StableHLO has with constant attributes only: here they are
// operands. Where these are constants, the op itself takes the place of the call.
#include "ir/legalize/refine_ops.h"

static const int64_t *constant_operand(Legalizer *legalizer, const Op *op, int i, int count) {
    return constant_numbers(legalizer->pass->scratch, op_operand(op, i), count);
}

// operand, k
static bool legalize_top_k(Legalizer *legalizer, Op *op) {
    if (op->operand_count != 2 || op->result_count != 2) return false;
    const int64_t *k = constant_operand(legalizer, op, 1, 1);
    if (!k) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *operand = op_operand(op, 0);
    const Type *types[] = {op_result_type(op, 0), op_result_type(op, 1)};
    Op *made = build_op(&builder, OP_CHLO_TOP_K, 1, &operand, 2, types, 0);
    const Attr *attr = attr_int(legalizer->module->context, *k, ELEMENT_I64);
    op_set_attr(legalizer->module, made, NAME_K, attr);
    return legalize_replace(legalizer, op, (Value *[]){op_result(made, 0), op_result(made, 1)});
}

// state, shape; the shape is the result's type
static bool legalize_rng(Legalizer *legalizer, Op *op) {
    const Attr *algorithm = op_extra(op, "rng_algorithm");
    bool fits = op->operand_count == 2 && op->result_count == 2 && algorithm &&
                algorithm->kind == ATTR_ENUM && type_is_static(op_result_type(op, 1));
    if (!fits) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *state = op_operand(op, 0);
    const Type *types[] = {op_result_type(op, 0), op_result_type(op, 1)};
    Op *made = build_op(&builder, OP_RNG_BIT_GENERATOR, 1, &state, 2, types, 0);
    op_set_attr(legalizer->module, made, NAME_RNG_ALGORITHM, algorithm);
    return legalize_replace(legalizer, op, (Value *[]){op_result(made, 0), op_result(made, 1)});
}

// The function's body becomes the region's; it ends with a stablehlo.return.
static void body_from_function(Legalizer *legalizer, const Op *func, Region *to) {
    PtrMap values = ptr_map(legalizer->pass->scratch);
    const Region *from = func_body(func);
    Module *module = legalizer->module;
    for (int i = 0; i < from->arg_count; i++) {
        Value *arg = region_add_arg(module, to, from->args[i]->type, from->args[i]->loc);
        ptr_map_set(&values, from->args[i], arg);
    }
    Builder builder = builder_at_end(module, to);
    for (const Op *op = from->first; op != from->last; op = op->next)
        op_clone(&builder, op, &values);
    const Op *end = from->last;
    Value **returned = ARENA_ARRAY(legalizer->pass->scratch, Value *, end->operand_count + 1);
    for (int i = 0; i < end->operand_count; i++) {
        Value *mapped = ptr_map_get(&values, op_operand(end, i));
        returned[i] = mapped ? mapped : op_operand(end, i);
    }
    builder.loc = end->loc;
    build_op(&builder, OP_RETURN, end->operand_count, returned, 0, NULL, 0);
}

static const Op *called_function(Legalizer *legalizer, const Op *op) {
    const Attr *called = op_attr(op, NAME_CALLED_COMPUTATIONS);
    if (!called || called->kind != ATTR_ARRAY || called->count != 1 ||
        called->items[0]->kind != ATTR_SYMBOL)
        return NULL;
    const Op *func = module_find_func(legalizer->module, called->items[0]->text);
    return func && func_body(func)->last ? func : NULL;
}

// inputs, init values, then five lists: window sizes, strides, base dilations, window dilations,
// padding
static bool legalize_reduce_window(Legalizer *legalizer, Op *op) {
    static const AttrName names[] = {
        NAME_WINDOW_DIMENSIONS, NAME_WINDOW_STRIDES, NAME_BASE_DILATIONS, NAME_WINDOW_DILATIONS,
        NAME_PADDING};
    enum { LISTS = sizeof names / sizeof names[0] };
    const Op *func = called_function(legalizer, op);
    int count = op->result_count;
    if (!func || count == 0 || op->operand_count != 2 * count + LISTS) return false;
    const Type *input = op_operand_type(op, 0);
    if (input->kind != TYPE_TENSOR || func_body(func)->arg_count != 2 * count) return false;
    const Attr *lists[LISTS];
    Context *context = legalizer->module->context;
    for (int i = 0; i < LISTS; i++) {
        bool is_padding = names[i] == NAME_PADDING;
        int size = is_padding ? 2 * input->rank : input->rank;
        const int64_t *numbers = constant_operand(legalizer, op, 2 * count + i, size);
        if (!numbers) return false;
        lists[i] = is_padding ? attr_int_matrix(context, input->rank, 2, numbers)
                              : attr_ints(context, size, numbers);
    }
    Arena *scratch = legalizer->pass->scratch;
    Value **operands = ARENA_ARRAY(scratch, Value *, 2 * (int64_t)count);
    const Type **types = ARENA_ARRAY(scratch, const Type *, count);
    Value **results = ARENA_ARRAY(scratch, Value *, count);
    for (int i = 0; i < 2 * count; i++)
        operands[i] = op_operand(op, i);
    for (int i = 0; i < count; i++)
        types[i] = op_result_type(op, i);
    Builder builder = builder_before(legalizer->module, op);
    Op *made = build_op(&builder, OP_REDUCE_WINDOW, 2 * count, operands, count, types, 1);
    for (int i = 0; i < LISTS; i++)
        op_set_attr(legalizer->module, made, names[i], lists[i]);
    body_from_function(legalizer, func, made->regions[0]);
    for (int i = 0; i < count; i++)
        results[i] = op_result(made, i);
    return legalize_replace(legalizer, op, results);
}

bool convert_dynamic_call(Legalizer *legalizer, Op *op) {
    StrView target = op_text(op, NAME_CALL_TARGET_NAME);
    if (!strview_starts_with(target, SV("stablehlo.dynamic_"))) return false;
    if (strview_is(target, "stablehlo.dynamic_top_k")) return legalize_top_k(legalizer, op);
    if (strview_is(target, "stablehlo.dynamic_rng_bit_generator"))
        return legalize_rng(legalizer, op);
    if (strview_is(target, "stablehlo.dynamic_reduce_window"))
        return legalize_reduce_window(legalizer, op);
    return false;
}
