// spread_rows: rows that several devices share are computed whole, by one device each.
//
//   In      a device program in canonical form.
//   Out     a reduction over a row that is spread over a group of devices, and the sum over them
//           that follows, become one reduction: each device of the group takes every n-th part
//           of the rows, reads the others' columns where they lie, and gives back what others
//           need. What is computed of the row and of such sums goes with it, so that a softmax
//           waits for nobody between its steps.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %1 = reduce(%0) over [1] : [64, 32] -> [64]
//           %2 = all_reduce(%1) over 2 devices
//           %3 = divide(%0, broadcast(%2))
//   after   %1 = all_to_all(reshape(%0)) : [64, 1, 32] -> [32, 2, 32]
//           %2 = reduce(%1) over [1, 2] : [32]
//           %3 = divide(%1, broadcast(%2)) : [32, 2, 32]
//           %4 = reshape(all_to_all(%3)) : [64, 32]
//
// Rows are spread where it saves passes over memory: something of the row's size is computed from
// the sum. An operand that only such ops read is computed with them; all others are read from
// memory, through an all_to_all, which is an index map.
#include "codegen/fuse/replicas.h"
#include "codegen/kernel/lower_class.h"
#include "codegen/passes/spread/spread.h"
#include "ir/pass/passes.h"

#include <string.h>

enum { LEAST_BYTES = 64 << 10, LEAST_ROWS = 16, FREE_DEPTH = 8 };

// ---- sums over the devices

// Does the reduction begin with what changes nothing, however often it is taken?
static bool begins_neutral(const Module *module, const Op *reduce, OpCode body) {
    const Op *init = op_operand(reduce, 1)->def;
    if (body == OP_MAXIMUM || body == OP_MINIMUM || body == OP_AND || body == OP_OR) return true;
    if (!init || init->code != OP_CONSTANT) return false;
    const Attr *value = op_attr(init, NAME_VALUE);
    if (body == OP_ADD && element_class(value->type->element) == CLASS_FLOAT)
        return attr_element_double(value, 0) == 0;
    return value == reduction_neutral(module->context, body, op_operand_type(reduce, 1));
}

// The all_reduce over these devices that alone reads the reduction's result, and makes
// one reduction with it; else NULL.
static Op *sum_of(const Spread *spread, const Op *reduce) {
    if (reduce->code != OP_REDUCE || reduce->operand_count != 2) return NULL;
    const Value *value = op_result(reduce, 0);
    if (!value_has_one_use(value) || value->uses->owner->parent != reduce->parent) return NULL;
    Op *sum = value->uses->owner;
    if (sum->code != OP_ALL_REDUCE || sum->operand_count != 1) return NULL;
    if (op_attr(sum, NAME_REPLICA_GROUPS) != spread->members_of) return NULL;
    OpCode body = region_reduction_op(reduce->regions[0]);
    bool fits = body != OP_COUNT && body == region_reduction_op(sum->regions[0]) &&
                op_result_type(sum, 0) == value->type &&
                begins_neutral(spread->module, reduce, body);
    return fits ? sum : NULL;
}

// ---- growing

static void add(Spread *spread, Value *value, int row, bool of_sums, bool is_partial) {
    Member *member = spread_member(spread, value);
    if (member) {
        if (member->row != row) spread->fails = true;
        member->of_sums = member->of_sums || of_sums;
        return;
    }
    if (value->type->rank + 1 > MAX_RANK) spread->fails = true;
    member = ARENA_NEW(spread->arena, Member);
    *member = (Member){.old = value, .row = row, .of_sums = of_sums, .is_partial = is_partial};
    ptr_map_set(&spread->known, value, member);
    vec_push(spread->arena, &spread->members, member);
}

static int reduced_before(IntSpan dims, int d) {
    int count = 0;
    for (int i = 0; i < dims.count; i++)
        count += dims.data[i] < d;
    return count;
}

// The row of operand i where the result's is `row`.
static int row_of_operand(const Op *op, int i, int row) {
    const Type *from = op_operand_type(op, i), *to = op_result_type(op, 0);
    int map[MAX_RANK];
    if (row < 0) return -1;
    if (op->code == OP_BROADCAST_IN_DIM) {
        IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
        int k = ints_find(dims, row);
        return k >= 0 && from->dims[k] == to->dims[row] ? k : -1;
    }
    if (spread_unit_reshape(op, map)) {
        for (int d = 0; d < from->rank; d++) {
            if (map[d] == row) return d;
        }
        return -1;
    }
    return from->rank ? row : -1;
}

// The row of the result where operand i has one; -1 = it is lost.
static int row_of_result(const Op *op, int i, int row) {
    const Type *from = op_operand_type(op, i), *to = op_result_type(op, 0);
    int map[MAX_RANK];
    if (op->code == OP_BROADCAST_IN_DIM) {
        int to_row = (int)op_ints(op, NAME_BROADCAST_DIMENSIONS).data[row];
        return from->dims[row] == to->dims[to_row] ? to_row : -1;
    }
    if (spread_unit_reshape(op, map)) return map[row];
    return row;
}

// A reduction with its sum over the devices.
static bool add_reduction(Spread *spread, Op *reduce, int row) {
    IntSpan dims = op_ints(reduce, NAME_DIMENSIONS);
    Op *sum = sum_of(spread, reduce);
    if (!sum || ints_contain(dims, row)) return false;
    int result_row = row - reduced_before(dims, row);
    add(spread, op_result(reduce, 0), result_row, false, true);
    add(spread, op_result(sum, 0), result_row, true, false);
    return true;
}

// What is made of the member: all that depends on a sum.
static void grow_forward(Spread *spread, const Member *member) {
    if (!member->of_sums || member->row < 0) return;
    for (const Use *use = member->old->uses; use; use = use->next) {
        Op *op = use->owner;
        if (op->parent != spread->region || op->result_count != 1) continue;
        if (spread_member(spread, op_result(op, 0))) continue;
        if (op->code == OP_REDUCE && use_index(use) == 0) {
            add_reduction(spread, op, member->row);
        } else if (spread_is_moved(op)) {
            int row = row_of_result(op, use_index(use), member->row);
            if (row >= 0) add(spread, op_result(op, 0), row, true, false);
        }
    }
}

static bool only_members_read(const Spread *spread, const Value *value) {
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *op = use->owner;
        if (op->result_count != 1 || !spread_member(spread, op_result(op, 0))) return false;
    }
    return value->uses != NULL;
}

// Operands that only members read.
static void grow_backward(Spread *spread, const Member *member) {
    const Op *op = member->old->def;
    if (op->code == OP_ALL_REDUCE) return; // its reduction is a member
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        Op *def = operand->def;
        if (!def || def->parent != spread->region || spread_member(spread, operand)) continue;
        if (op->code == OP_REDUCE && i > 0) continue;
        if (!only_members_read(spread, operand) || spread_is_free(operand, FREE_DEPTH)) continue;
        int row = member->row;
        if (op->code == OP_REDUCE) {
            IntSpan dims = op_ints(op, NAME_DIMENSIONS);
            for (int d = 0; d <= row; d++)
                row += ints_contain(dims, d);
        } else {
            row = row_of_operand(op, i, row);
        }
        if (spread_is_moved(def)) {
            add(spread, operand, row, false, false);
        } else if (def->code == OP_ALL_REDUCE && row >= 0 && op_operand(def, 0)->def) {
            Op *reduce = op_operand(def, 0)->def;
            IntSpan dims = op_ints(reduce, NAME_DIMENSIONS);
            if (reduce->code != OP_REDUCE || sum_of(spread, reduce) != def) continue;
            int operand_row = row;
            for (int d = 0; d <= operand_row; d++)
                operand_row += ints_contain(dims, d);
            add_reduction(spread, reduce, operand_row);
        }
    }
}

static void grow(Spread *spread) {
    int64_t count = -1;
    while (count != spread->members.count && !spread->fails) {
        count = spread->members.count;
        for (int64_t i = 0; i < spread->members.count; i++) {
            grow_forward(spread, spread->members.data[i]);
            grow_backward(spread, spread->members.data[i]);
        }
    }
}

// Is something of the row's size computed from a sum?
static bool saves_passes(const Spread *spread, int64_t elements) {
    for (int64_t i = 0; i < spread->members.count; i++) {
        const Member *member = spread->members.data[i];
        const Op *op = member->old->def;
        if (member->of_sums && op_has(op, TRAIT_POINTWISE) &&
            type_element_count(member->old->type) >= elements)
            return true;
    }
    return false;
}

// ---- beginning

static bool fits_groups(Spread *spread) {
    const Attr *groups = spread->members_of;
    if (!groups_hold_all(spread->arena, groups)) return false;
    spread->groups = groups->type->dims[0];
    spread->devices = groups->type->dims[1];
    return true;
}

// The outermost dimension that can be shared out. The reduced dimensions are the last.
static int row_dim(const Spread *spread, const Op *reduce) {
    const Type *type = op_operand_type(reduce, 0);
    IntSpan dims = op_ints(reduce, NAME_DIMENSIONS);
    int64_t rows = 1;
    int row = -1;
    for (int d = type->rank - 1; d >= 0; d--) {
        if (ints_contain(dims, d)) {
            if (rows > 1) return -1;
            continue;
        }
        rows *= type->dims[d];
        if (type->dims[d] > 0 && type->dims[d] % spread->devices == 0) row = d;
    }
    return rows / spread->devices >= LEAST_ROWS ? row : -1;
}

static bool spread_from(Module *module, Arena *scratch, Op *reduce) {
    if (reduce->code != OP_REDUCE || reduce->operand_count != 2 || reduce->result_count != 1)
        return false;
    const Value *value = op_result(reduce, 0);
    if (!value_has_one_use(value) || value->uses->owner->code != OP_ALL_REDUCE) return false;
    const Type *type = op_operand_type(reduce, 0);
    if (type_bytes(type) < LEAST_BYTES || type->rank + 1 > MAX_RANK) return false;
    Spread spread = {
        .module = module,
        .arena = scratch,
        .region = reduce->parent,
        .sum = value->uses->owner,
        .rank = type->rank,
        .known = ptr_map(scratch)};
    spread.members_of = op_attr(spread.sum, NAME_REPLICA_GROUPS);
    if (!fits_groups(&spread)) return false;
    int row = row_dim(&spread, reduce);
    if (row < 0) return false;
    IntSpan dims = op_ints(reduce, NAME_DIMENSIONS);
    spread.place = type->rank;
    for (int i = 0; i < dims.count; i++)
        if (dims.data[i] < spread.place) spread.place = (int)dims.data[i];
    if (row >= spread.place || !add_reduction(&spread, reduce, row)) return false;
    grow(&spread);
    if (spread.fails || !saves_passes(&spread, type_element_count(type))) return false;
    spread_build(&spread);
    return true;
}

static bool spread_region(Module *module, Arena *scratch, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        if (op->code == OP_REDUCE && spread_from(module, scratch, op)) {
            changed = true;
            op = region->first; // the list is another one now
        } else if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++)
                changed = spread_region(module, scratch, op->regions[r]) || changed;
        }
    }
    return changed;
}

PassResult pass_spread_rows(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    bool changed = main && spread_region(module, pass->scratch, func_body(main));
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}
