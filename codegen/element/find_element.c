// The element of a value at an index, as an expression: through fused ops down to stored
// values, bound values and constants.
#include "codegen/element/collective.h"
#include "codegen/element/reduce.h"
#include "codegen/element/view.h"

static const Expr *element_of_pointwise(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    const Op *op = value->def;
    const Expr *operands[3];
    if (op->operand_count > 3) return element_fail(b, value, "too many operands of");
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = expr_of(b, op_operand(op, i), index); // a scalar operand ignores the index
    return b->failed ? expr_real(b, value->type->element, 0) : expr_op(b, op, operands);
}

static const Expr *element_of_map(ExprBuilder *b, const Op *op, const IndexExpr *const *index) {
    const Expr **arguments =
        (const Expr **)arena_alloc_array(b->arena, op->operand_count, sizeof(Expr *));
    const Expr *result = NULL;
    for (int i = 0; i < op->operand_count; i++)
        arguments[i] = expr_of(b, op_operand(op, i), index);
    expr_of_region(b, op->regions[0], arguments, &result);
    return result;
}

static const Expr *find_element(ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    if (kernel_operand(b->kernel, value) >= b->kernel->output_count)
        return expr_load(b, value, b->device, index);
    if (!value->def) return element_fail(b, value, "an argument is not stored:");
    const Op *op = value->def;
    if (op->code == OP_MAP) return element_of_map(b, op, index);
    if (op_has(op, TRAIT_POINTWISE)) return element_of_pointwise(b, value, index);
    if (op->code == OP_REDUCE || op->code == OP_ALL_REDUCE || op->code == OP_REDUCE_SCATTER)
        return element_of_reduction(b, op, value->index, index);
    const Expr *x = element_of_view(b, value, index);
    if (!x) x = element_of_collective(b, value, index);
    return x ? x : element_fail(b, value, "no elementwise form of");
}

ExprBuilder *expr_builder_create(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, int64_t only_device,
    Diags *diags) {
    return expr_builder_with(arena, program, kernel, only_device, find_element, diags);
}
