// join_gathers: rows and slices of an array whose parts devices have are read from the whole array.
//
//   In      a device program in canonical form whose @main says which arguments the devices hold
//           alike.
//   Out     where the devices of a group look up the same places, each takes what it has of an
//           array there and zeros for the rest, and they sum these up, each takes it from all
//           devices' parts, where they lie. No array of rows and zeros is written and summed.
//   Keeps   what the program computes (of zeros, the array's sign).
//
//   before  %1 = subtract(%i, %first)        %first: of the device's rows, 0 <= %i < all rows
//           %2 = gather(%table, %1)
//           %3 = select(%first <= %i <= %last, %2, 0)
//           %4 = all_reduce(%3)
//   after   %4 = gather(all_gather(%table), %i)
//
// So embeddings look whose vocabulary is sharded (gather_lookup.c). slice_lookup.c has slices that
// begin at a computed place. Of a reduce_scatter each device takes its part of the rows.
#include "codegen/fuse/fuse.h"
#include "codegen/passes/lookup/lookup.h"
#include "ir/pass/passes.h"

// Of an array that is made element by element, only what is looked up is made; read by others, all
// of it would be stored. What is converted they read as it was (fuse/remote_forms.c).
static bool lies_in_memory(const Value *array) {
    const Op *op = array->def;
    return !op || !op_has(op, TRAIT_POINTWISE) || op->code == OP_CONVERT;
}

static bool find_lookup(Lookup *look) {
    const Op *sum = look->sum;
    bool is_sum = sum->code == OP_ALL_REDUCE || sum->code == OP_REDUCE_SCATTER;
    if (!is_sum || sum->operand_count != 1 || region_reduction_op(sum->regions[0]) != OP_ADD)
        return false;
    const Attr *groups = op_attr(sum, NAME_REPLICA_GROUPS);
    if (!value_has_one_use(op_operand(sum, 0)) || !groups_hold_all(look->replicas->arena, groups) ||
        type_element_count(groups->type) != look->replicas->devices)
        return false;
    look->together = (Together){groups, groups->type->dims[1]};
    if (!find_gather(look) && !find_slice(look)) return false;
    return lies_in_memory(look->array) && replicas_are_alike(look->replicas, look->place, groups);
}

// The device's part of all rows.
static Value *own_part(const Lookup *look, Builder *builder, Value *rows) {
    const Replicas *r = look->replicas;
    const Type *type = op_result_type(look->sum, 0);
    int dim = (int)op_int(look->sum, NAME_SCATTER_DIMENSION, 0);
    Value *zero = build_splat_int(builder, type_scalar(builder->module->context, ELEMENT_I64), 0);
    Value *starts[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        starts[d] = zero;
    starts[dim] = together_place(builder, r->arena, r, &look->together, type->dims[dim]);
    return build_dynamic_slice(builder, rows, starts, type->dims);
}

static Value *of_whole(const Lookup *look, Builder *builder) {
    bool is_slice = look->op->code == OP_DYNAMIC_SLICE;
    Value *place = look->place;
    if (is_slice) place = build_convert(builder, place, op_operand_type(look->op, 1)->element);
    Value *whole = together_gather(builder, look->array, look->dim, &look->together);
    PtrMap values = ptr_map(look->module->arena);
    Op *op = op_clone(builder, look->op, &values);
    op_set_operand(op, 0, whole);
    op_set_operand(op, is_slice ? 1 + look->dim : 1, place);
    return op_result(op, 0);
}

typedef struct JoinGathers {
    Module *module;
    const Replicas *replicas;
} JoinGathers;

static bool join_lookup(Op *sum, void *user) {
    JoinGathers *join = user;
    Lookup look = {.module = join->module, .replicas = join->replicas, .sum = sum};
    if (!find_lookup(&look)) return false;
    Builder builder = builder_before(join->module, sum);
    builder.loc = look.op->loc;
    Value *rows = of_whole(&look, &builder);
    if (sum->code == OP_REDUCE_SCATTER) rows = own_part(&look, &builder, rows);
    Context *context = join->module->context; // it counts as the sum's result
    op_set_extra(
        join->module, rows->def, context_name(context, SV(SPREAD_OVER)),
        attr_int(context, 1, ELEMENT_I64));
    value_replace_uses(op_result(sum, 0), rows);
    op_erase(sum);
    return true;
}

PassResult pass_join_gathers(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    Replicas replicas;
    if (!main || !replicas_find_marked(module, main, arena_child(module->arena), &replicas))
        return PASS_UNCHANGED;
    JoinGathers join = {.module = module, .replicas = &replicas};
    return pass_over_main(module, join_lookup, &join);
}
