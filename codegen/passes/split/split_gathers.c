// split_gathers: rows that products gather from other devices keep their devices apart.
//
//   In      a device program in canonical form.
//   Out     where a dot_general's operand is gathered along the last dimension, in which memory
//           runs, that dimension is two: the devices, and each one's part (of k's, if it is short).
//           Blocks of the product are packed in runs of one device's memory then, not element by
//           element.
//   Keeps   what the program computes.
//
//   before  %1 = all_gather(%0 : [1024, 32]) : [1024, 128]
//           %2 = dot_general(%1, %w : [1024, 64]), contracting [0] x [0] : [128, 64]
//   after   %1 = all_gather(reshape(%0) : [1024, 1, 32]) : [1024, 4, 32]
//           %2 = reshape(dot_general(%1, %w), contracting [0] x [0] : [4, 32, 64]) : [128, 64]
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { SHORT = 128 }; // k's in a run

// One operand of a product that is gathered.
typedef struct Gathered {
    const Op *gather, *view; // a reshape of the gather that keeps its last dimension, or NULL
    int64_t devices, part;   // of the last dimension
} Gathered;

// Is it a part of the caller's arrays, which hold all devices' parts? An index goes from one into
// the next there.
static bool is_of_whole_array(const Value *value) {
    const Op *op = value->def;
    while (op && (op_has(op, TRAIT_VIEW) || op->code == OP_DYNAMIC_SLICE)) {
        value = op_operand(op, 0);
        op = value->def;
    }
    const Op *main = value->region ? value->region->owner : NULL;
    return !op && main && op_extra(main, WHOLE_ARRAYS);
}

static bool find_gather(const Value *value, Gathered *found) {
    *found = (Gathered){0};
    const Op *op = value->def;
    if (op && op->code == OP_RESHAPE) {
        found->view = op;
        op = op_operand(op, 0)->def;
    }
    if (!op || op->operand_count != 1 || value->type->rank == MAX_RANK) return false;
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    int last = to->rank - 1;
    AttrName along = op->code == OP_ALL_GATHER ? NAME_ALL_GATHER_DIM : NAME_CONCAT_DIMENSION;
    bool is_gather = op->code == OP_ALL_GATHER || op->code == OP_ALL_TO_ALL;
    if (!is_gather || to->rank == MAX_RANK || op_int(op, along, 0) != last) return false;
    if (op->code == OP_ALL_TO_ALL && op_int(op, NAME_SPLIT_DIMENSION, 0) == last) return false;
    if (found->view && value->type->dims[value->type->rank - 1] != to->dims[last]) return false;
    if (is_of_whole_array(op_operand(op, 0))) return false;
    found->gather = op;
    found->part = from->dims[last];
    found->devices = found->part > 0 ? to->dims[last] / found->part : 0;
    return found->part > 1 && found->devices > 1;
}

// The type with its dimension d in two.
static const Type *with_two(Module *module, const Type *type, int d, int64_t outer, int64_t inner) {
    int64_t dims[MAX_RANK];
    for (int i = 0; i <= type->rank; i++)
        dims[i] = i == d ? outer : i == d + 1 ? inner : type->dims[i - (i > d)];
    return type_with_dims(module->context, type, type->rank + 1, dims);
}

static Value *in_two(Module *module, Builder *builder, Value *x, int d, int64_t outer) {
    const Type *type = with_two(module, x->type, d, outer, x->type->dims[d] / outer);
    return build_reshape(builder, x, type->rank, type->dims);
}

static Value *build_operand(Module *module, Builder *builder, const Gathered *found) {
    const Op *gather = found->gather;
    int last = op_result_type(gather, 0)->rank - 1;
    PtrMap values = ptr_map(module->arena);
    Value *part = in_two(module, builder, op_operand(gather, 0), last, 1);
    Op *op = op_clone(builder, gather, &values);
    op_set_operand(op, 0, part);
    const Type *type = op_result_type(gather, 0);
    op_result(op, 0)->type = with_two(module, type, last, found->devices, found->part);
    if (!value_has_one_use(op_result(gather, 0)))
        op_set_extra(
            module, op, context_name(module->context, SV(UNCOUNTED)), attr_unit(module->context));
    if (!found->view) return op_result(op, 0);
    const Type *seen = op_result_type(found->view, 0);
    seen = with_two(module, seen, seen->rank - 1, found->devices, found->part);
    return build_reshape(builder, op_result(op, 0), seen->rank, seen->dims);
}

// Dimension numbers of an operand whose dimension d is two; both where `dims` has it.
static IntSpan renumbered(Arena *arena, IntSpan dims, int64_t d) {
    int64_t *data = ARENA_ARRAY(arena, int64_t, dims.count + 1);
    int count = 0;
    for (int i = 0; i < dims.count; i++) {
        data[count++] = dims.data[i] + (dims.data[i] > d);
        if (dims.data[i] == d) data[count++] = d + 1;
    }
    return (IntSpan){data, count};
}

static bool split_operand(Module *module, Op *dot, int side) {
    Gathered found;
    if (!find_gather(op_operand(dot, side), &found)) return false;
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    IntSpan batch[2] = {dims->lhs_batch, dims->rhs_batch},
            contracting[2] = {dims->lhs_contracting, dims->rhs_contracting};
    int d = op_operand_type(dot, side)->rank - 1, k = ints_find(contracting[side], d);
    const Type *result = op_result_type(dot, 0), *other = op_operand_type(dot, 1 - side);
    if (ints_contain(batch[side], d) || result->rank == MAX_RANK || other->rank == MAX_RANK)
        return false;
    bool is_stored = cost_gathers_along_k(op_result(found.gather, 0));
    if (k >= 0 && (is_stored || found.part > SHORT)) return false;
    Builder builder = builder_before(module, dot);
    PtrMap values = ptr_map(module->arena);
    Value *operands[2] = {op_operand(dot, 0), op_operand(dot, 1)};
    operands[side] = build_operand(module, &builder, &found);
    batch[side] = renumbered(module->arena, batch[side], d);
    contracting[side] = renumbered(module->arena, contracting[side], d);
    if (k >= 0) {
        int64_t e = contracting[1 - side].data[k];
        operands[1 - side] = in_two(module, &builder, operands[1 - side], (int)e, found.devices);
        batch[1 - side] = renumbered(module->arena, batch[1 - side], e);
        contracting[1 - side] = renumbered(module->arena, contracting[1 - side], e);
    }
    Op *product = op_clone(&builder, dot, &values);
    for (int i = 0; i < 2; i++)
        op_set_operand(product, i, operands[i]);
    if (k < 0) { // the last dimension of its side
        int rows = op_operand_type(dot, 0)->rank - dims->lhs_contracting.count;
        int at = side ? result->rank - 1 : rows - 1;
        op_result(product, 0)->type = with_two(module, result, at, found.devices, found.part);
    }
    const DotDims numbers = {
        .lhs_batch = batch[0],
        .rhs_batch = batch[1],
        .lhs_contracting = contracting[0],
        .rhs_contracting = contracting[1]};
    op_set_attr(
        module, product, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = &numbers}));
    Value *value = op_result(product, 0);
    if (k < 0) value = build_reshape(&builder, value, result->rank, result->dims);
    value_replace_uses(op_result(dot, 0), value);
    op_erase(dot);
    return true;
}

static bool split_product(Op *op, void *user) {
    return op->code == OP_DOT_GENERAL && (split_operand(user, op, 0) || split_operand(user, op, 1));
}

PassResult pass_split_gathers(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_product, module);
}
