// constant_values: see constant_values.h.
#include "codegen/passes/constant_values.h"

#include "codegen/kernel/lower_class.h"
#include "ir/analysis/effects.h"

static bool gives_the_same(const Op *op) {
    KernelKind kind = KERNEL_LOOP;
    LowerClass lower = lower_class(op, &kind);
    return op->region_count == 0 && !op_has_effect(op) && !op_has(op, TRAIT_TERMINATOR) &&
           lower != LOWER_ABSENT && lower != LOWER_NONE && lower != LOWER_CONTROL &&
           kind != KERNEL_CUSTOM && kind != KERNEL_RANDOM;
}

ConstantValues constant_values_find(const Module *module, const Op *main, Arena *arena) {
    const bool *arguments = constant_arguments_of(arena, main);
    if (!arguments) return (ConstantValues){0};
    const Region *body = func_body(main);
    bool *known = ARENA_ARRAY(arena, bool, module->next_value_number + 1);
    for (int i = 0; i < body->arg_count; i++)
        known[body->args[i]->number] = arguments[i];
    for (const Op *op = body->first; op; op = op->next) {
        bool is_constant = gives_the_same(op);
        for (int i = 0; is_constant && i < op->operand_count; i++)
            is_constant = known[op_operand(op, i)->number];
        for (int i = 0; is_constant && i < op->result_count; i++)
            known[op_result(op, i)->number] = true;
    }
    return (ConstantValues){known, module->next_value_number};
}

bool constant_values_have(const ConstantValues *constants, const Value *value) {
    return constants->known && value->number < constants->values && constants->known[value->number];
}

Layer constant_layer_of(const ConstantValues *constants, const Value *value) {
    Layer none = {0};
    const Op *op = value->def;
    while (op && (op->code == OP_RESHAPE || op->code == OP_TRANSPOSE || op->code == OP_CONVERT)) {
        if (op_operand_type(op, 0)->rank >= MAX_RANK) return none;
        op = op_operand(op, 0)->def;
    }
    if (!op || op->code != OP_DYNAMIC_SLICE) return none;
    if (!constant_values_have(constants, op_operand(op, 0))) return none;
    const Type *stack = op_operand_type(op, 0), *slice = op_result_type(op, 0);
    Layer layer = {.slice = op, .dim = -1};
    for (int d = 0; d < stack->rank; d++) {
        if (slice->dims[d] == stack->dims[d]) continue;
        if (slice->dims[d] != 1 || layer.dim >= 0) return none;
        layer.dim = d;
    }
    if (layer.dim < 0) return none;
    layer.number = op_operand(op, 1 + layer.dim);
    return layer;
}
