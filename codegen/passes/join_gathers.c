// join_gathers: rows of a table whose rows devices share are read from the whole table.
//
//   In      a device program in canonical form whose @main says which arguments the devices hold
//           alike.
//   Out     where the devices of a group look up the same places, each takes the rows that it has
//           of a table and zeros for the others, and they sum these up, each takes the rows from
//           all devices' parts, where they lie. No array of rows and zeros is written and summed.
//   Keeps   what the program computes (of zeros, the table's sign).
//
//   before  %1 = subtract(%i, %first)        %first: of the device's rows, 0 <= %i < all rows
//           %2 = gather(%table, %1)
//           %3 = select(%first <= %i <= %last, %2, 0)
//           %4 = all_reduce(%3)
//   after   %4 = gather(all_gather(%table), %i)
//
// So embeddings look whose vocabulary is sharded. Of a reduce_scatter each device takes its part of
// the rows.
#include "codegen/fuse/fuse.h"
#include "codegen/passes/together.h"
#include "ir/pass/passes.h"

typedef struct JoinGathers {
    Module *module;
    const Replicas *replicas;
    bool has_changed;
} JoinGathers;

typedef struct Lookup {
    const JoinGathers *join;
    Op *sum;
    const Op *gather;
    Value *place;      // %i
    Together together; // the devices that sum
    int dim;           // of the table, over whose parts the devices' rows go
} Lookup;

static const Op *def_of(const Value *value, OpCode code) {
    return value->def && value->def->code == code ? value->def : NULL;
}

// The one number that the value is everywhere on a device.
static bool number_on(const Lookup *look, const Value *value, int64_t device, int64_t *number) {
    const Attr *splat = value_splat(value);
    if (splat) {
        *number = attr_element_int(splat, 0);
        return true;
    }
    const Op *op = value->def;
    while (op && (op->code == OP_BROADCAST_IN_DIM || op->code == OP_RESHAPE)) {
        value = op_operand(op, 0);
        op = value->def;
    }
    Context *context = look->join->module->context;
    return replicas_number(look->join->replicas, context, value, device, number);
}

// Is it the first (last) row of its part on each device, the parts in the order of the groups?
static bool is_end_of_parts(const Lookup *look, const Value *value, bool is_last) {
    int64_t size = op_operand_type(look->gather, 0)->dims[look->dim];
    for (int64_t i = 0; i < look->join->replicas->devices; i++) {
        int64_t device = attr_element_int(look->together.groups, i), number;
        if (!number_on(look, value, device, &number)) return false;
        if (number != i % look->together.size * size + (is_last ? size - 1 : 0)) return false;
    }
    return true;
}

// first <= i, i <= last, or both.
static bool is_condition(const Lookup *look, const Value *value, bool *has_first, bool *has_last) {
    const Op *op = value->def;
    if (op && op->code == OP_AND)
        return is_condition(look, op_operand(op, 0), has_first, has_last) &&
               is_condition(look, op_operand(op, 1), has_first, has_last);
    if (!op || op->code != OP_COMPARE || op_operand(op, 0) != look->place) return false;
    int64_t how = op_int(op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ);
    bool is_first = how == DIRECTION_GE, is_last = how == DIRECTION_LE;
    if ((!is_first && !is_last) || !is_end_of_parts(look, op_operand(op, 1), is_last)) return false;
    *(is_first ? has_first : has_last) = true;
    return true;
}

static bool begins_true(const Op *reduce) {
    const Attr *init = value_splat(op_operand(reduce, 1));
    return init && attr_element_int(init, 0) != 0;
}

// Is the mask what holds of each row's place, for all elements of the row?
static bool is_mask(const Lookup *look, const Value *mask) {
    const GatherDims *dims = op_attr(look->gather, NAME_DIMENSION_NUMBERS)->gather;
    const Op *rows = def_of(mask, OP_BROADCAST_IN_DIM);
    if (rows) {
        IntSpan to = op_ints(rows, NAME_BROADCAST_DIMENSIONS);
        int next = 0;
        for (int d = 0; d < mask->type->rank; d++) {
            if (ints_contain(dims->offset_dims, d)) continue;
            if (next == to.count || to.data[next++] != d) return false;
        }
        if (next != to.count) return false;
        mask = op_operand(rows, 0);
    }
    if (mask->type->rank + dims->offset_dims.count != op_result_type(look->gather, 0)->rank)
        return false;
    const Op *op = mask->def; // all of the one number of a place
    bool is_all = op && op->code == OP_REDUCE && op->result_count == 1 &&
                  region_reduction_op(op->regions[0]) == OP_AND && begins_true(op) &&
                  type_element_count(op_operand_type(op, 0)) == type_element_count(mask->type);
    if (is_all || (op && op->code == OP_RESHAPE)) mask = op_operand(op, 0);
    bool has_first = false, has_last = false;
    return is_condition(look, mask, &has_first, &has_last) && has_first && has_last;
}

// Is every place a row of the table?
static bool is_inside(const Lookup *look) {
    const Op *clamp = def_of(look->place, OP_CLAMP);
    if (!clamp) return false;
    const Attr *low = value_splat(op_operand(clamp, 0)), *high = value_splat(op_operand(clamp, 2));
    int64_t rows = look->together.size * op_operand_type(look->gather, 0)->dims[look->dim];
    return low && high && attr_element_int(low, 0) >= 0 && attr_element_int(high, 0) < rows;
}

static bool find_lookup(const JoinGathers *join, Op *sum, Lookup *look) {
    *look = (Lookup){.join = join, .sum = sum};
    bool is_sum = sum->code == OP_ALL_REDUCE || sum->code == OP_REDUCE_SCATTER;
    if (!is_sum || sum->operand_count != 1 || region_reduction_op(sum->regions[0]) != OP_ADD)
        return false;
    const Value *rows = op_operand(sum, 0);
    const Op *select = def_of(rows, OP_SELECT);
    look->gather = select ? def_of(op_operand(select, 1), OP_GATHER) : NULL;
    const Attr *zero = select ? value_splat(op_operand(select, 2)) : NULL;
    const Attr *groups = op_attr(sum, NAME_REPLICA_GROUPS);
    if (!look->gather || !zero || attr_element_double(zero, 0) != 0 || !value_has_one_use(rows) ||
        !groups_hold_all(join->replicas->arena, groups) ||
        type_element_count(groups->type) != join->replicas->devices)
        return false;
    look->together = (Together){groups, groups->type->dims[1]};
    const GatherDims *dims = op_attr(look->gather, NAME_DIMENSION_NUMBERS)->gather;
    if (dims->start_index_map.count != 1 || dims->operand_batching_dims.count > 0) return false;
    look->dim = (int)dims->start_index_map.data[0];
    if (op_ints(look->gather, NAME_SLICE_SIZES).data[look->dim] != 1) return false;
    const Op *place = def_of(op_operand(look->gather, 1), OP_SUBTRACT);
    if (!place) return false;
    look->place = op_operand(place, 0);
    return replicas_are_alike(join->replicas, look->place, groups) &&
           is_end_of_parts(look, op_operand(place, 1), false) && is_inside(look) &&
           is_mask(look, op_operand(select, 0));
}

// The device's part of all rows.
static Value *own_part(const Lookup *look, Builder *builder, Value *rows) {
    const Replicas *r = look->join->replicas;
    const Type *type = op_result_type(look->sum, 0);
    int dim = (int)op_int(look->sum, NAME_SCATTER_DIMENSION, 0);
    Value *zero = build_splat_int(builder, type_scalar(builder->module->context, ELEMENT_I64), 0);
    Value *starts[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        starts[d] = zero;
    starts[dim] = together_place(builder, r->arena, r, &look->together, type->dims[dim]);
    return build_dynamic_slice(builder, rows, starts, type->dims);
}

static bool join_lookup(Op *sum, void *user) {
    JoinGathers *join = user;
    Lookup look;
    if (!find_lookup(join, sum, &look)) return true;
    Builder builder = builder_before(join->module, sum);
    builder.loc = look.gather->loc;
    Value *table = together_gather(&builder, op_operand(look.gather, 0), look.dim, &look.together);
    PtrMap values = ptr_map(join->module->arena);
    Op *gather = op_clone(&builder, look.gather, &values);
    op_set_operand(gather, 0, table);
    op_set_operand(gather, 1, look.place);
    Value *rows = op_result(gather, 0);
    if (sum->code == OP_REDUCE_SCATTER) rows = own_part(&look, &builder, rows);
    Context *context = join->module->context; // it counts as the sum's result
    op_set_extra(
        join->module, rows->def, context_name(context, SV(SPREAD_OVER)),
        attr_int(context, 1, ELEMENT_I64));
    value_replace_uses(op_result(sum, 0), rows);
    op_erase(sum);
    join->has_changed = true;
    return true;
}

PassResult pass_join_gathers(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    Replicas replicas;
    if (!main || !replicas_find_marked(module, main, arena_child(module->arena), &replicas))
        return PASS_UNCHANGED;
    JoinGathers join = {.module = module, .replicas = &replicas};
    region_walk(func_body(main), join_lookup, &join);
    return join.has_changed ? PASS_CHANGED : PASS_UNCHANGED;
}
