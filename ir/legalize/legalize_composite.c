// legalize_composite: a composite that is an op of ours (stablehlo.composite "chlo.erf") is that
// op, any other a call of its decomposition.
#include "ir/legalize/legalize.h"
#include "ir/verify/verify.h"

// An op of this code with the operands and the types of results of another.
static Op *build_alike(Builder *builder, Arena *scratch, const Op *op, OpCode code) {
    Value **operands = ARENA_ARRAY(scratch, Value *, op->operand_count + 1);
    const Type **types = ARENA_ARRAY(scratch, const Type *, op->result_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = op_operand(op, i);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    return build_op(builder, code, op->operand_count, operands, op->result_count, types, 0);
}

// The op that the composite names; NULL when there is none of that form.
static Op *build_named(Legalizer *legalizer, const Op *op, Builder *builder) {
    Module *module = legalizer->module;
    Arena *scratch = legalizer->pass->scratch;
    OpCode code = OP_COMPOSITE;
    StrView name = op_text(op, NAME_NAME);
    bool is_chlo = op_code_from_text(name, &code) && op_code_dialect(code) == DIALECT_CHLO;
    if (!is_chlo || op_code_regions(code) != 0 || op_code_operands(code) != op->operand_count ||
        op_code_results(code) != op->result_count)
        return NULL;
    Op *named = build_alike(builder, scratch, op, code);
    const Attr *attrs = op_attr(op, NAME_COMPOSITE_ATTRIBUTES);
    for (int i = 0; attrs && attrs->kind == ATTR_DICT && i < attrs->count; i++) {
        AttrName attr;
        if (attr_name_from_text(attrs->names[i], &attr))
            op_set_attr(module, named, attr, attrs->items[i]);
        else
            op_set_extra(module, named, attrs->names[i], attrs->items[i]);
    }
    if (verify_op(module, named, diags_create(scratch))) return named;
    op_erase(named);
    return NULL;
}

bool convert_composite(Legalizer *legalizer, Op *op) {
    Module *module = legalizer->module;
    Arena *scratch = legalizer->pass->scratch;
    Builder builder = builder_before(module, op);
    Op *made = build_named(legalizer, op, &builder);
    if (!made) {
        made = build_alike(&builder, scratch, op, OP_CALL);
        op_set_attr(
            module, made, NAME_CALLEE,
            attr_symbol(module->context, op_text(op, NAME_DECOMPOSITION)));
    }
    Value **results = ARENA_ARRAY(scratch, Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result(made, i);
    return legalize_replace(legalizer, op, results);
}
