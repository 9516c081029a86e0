// fold: small constant expressions are computed by the evaluator.
//
//   In      any verified module.
//   Out     elementwise ops, views and reductions of constants are constants, where that
//           does not make the program larger.
//   Keeps   results' shardings; sdy.constant and iota, which are made where
//           they are used, stay. Cannot fail.
//
//   before  %c = stablehlo.constant dense<2> : tensor<i32>
//           %0 = stablehlo.multiply %c, %c : tensor<i32>
//   after   %0 = stablehlo.constant dense<4> : tensor<i32>
#include "ir/analysis/effects.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/simplify/simplify.h"

// Limits of what is computed at compile time.
enum { MAX_ELEMENTS = 1 << 16, MAX_BYTES = 1 << 16, MAX_OPERANDS = 16, ALWAYS_SMALL = 64 };

typedef struct Folder {
    Module *module;
    Arena *arena; // of one op's tensors
    bool changed;
} Folder;

static const Attr *constant_operand(const Op *op, int i) {
    const Op *def = op_operand(op, i)->def;
    const Attr *attr = def && def->code == OP_CONSTANT ? op_attr(def, NAME_VALUE) : NULL;
    return attr && attr->kind == ATTR_ELEMENTS ? attr : NULL;
}

static bool is_small(const Type *type) {
    return type_is_static(type) && !type->quant && type_element_count(type) <= MAX_ELEMENTS &&
           type_bytes(type) <= MAX_BYTES;
}

static bool is_candidate(const Op *op) {
    bool is_cheap = op_has(op, TRAIT_POINTWISE) || op_has(op, TRAIT_VIEW) || op->code == OP_REDUCE;
    if (!is_cheap || op->result_count != 1 || op_has_own_effect(op)) return false;
    if (op->operand_count == 0 || op->operand_count > MAX_OPERANDS) return false;
    if (op->code == OP_REDUCE && region_reduction_op(op->regions[0]) == OP_COUNT) return false;
    if (op->region_count && op->code != OP_REDUCE) return false;
    if (!is_small(op_result_type(op, 0))) return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!constant_operand(op, i) || !is_small(op_operand_type(op, i))) return false;
    }
    return true;
}

static bool fold_op(Folder *folder, Op *op) {
    const Tensor *operands[MAX_OPERANDS];
    size_t bytes = ALWAYS_SMALL;
    for (int i = 0; i < op->operand_count; i++) {
        const Attr *attr = constant_operand(op, i);
        operands[i] = tensor_from_attr(folder->arena, attr);
        bytes += attr->data_size;
    }
    Tensor *result;
    if (!eval_op(folder->arena, folder->module, op, operands, &result)) return false;
    if (!result || result->type != op_result_type(op, 0)) return false;
    // A result that is not one number for all takes as much room as its operands at most.
    const char *data = result->data;
    size_t size = element_bytes(result->type->element), total = type_bytes(result->type);
    bool is_splat = total >= size;
    for (size_t at = size; is_splat && at < total; at += size)
        is_splat = memcmp(data, data + at, size) == 0;
    if (!is_splat && total > bytes) return false;
    Builder builder = builder_before(folder->module, op);
    Value *constant = build_constant(&builder, tensor_to_attr(folder->module->context, result));
    constant->sharding = op_result(op, 0)->sharding;
    value_replace_uses(op_result(op, 0), constant);
    op_erase(op);
    folder->changed = true;
    return true;
}

bool fold_constant_op(Module *module, Arena *scratch, Op *op) {
    if (!is_candidate(op)) return false;
    Folder folder = {.module = module, .arena = arena_child(scratch)};
    bool folded = fold_op(&folder, op);
    arena_reset(folder.arena);
    return folded;
}

static bool visit(Op *op, void *user) {
    Folder *folder = user;
    if (!is_candidate(op)) return true;
    (void)fold_op(folder, op);
    arena_reset(folder->arena);
    return true;
}

PassResult pass_fold(Module *module, PassContext *pass) {
    Folder folder = {.module = module, .arena = arena_child(pass->scratch)};
    region_walk(module->body, visit, &folder);
    return folder.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
