// place_slices: slices that a loop changes and stacks are changed where they are stacked.
//
//   In      a device program without calls, after cse.
//   Out     where a loop takes the slices of an array one after the other, overwrites a part of
//           each and stacks them into another array, that array begins as the first one, and
//           its parts are overwritten. So it is with a cache of keys and values that a loop
//           over layers adds a position to: nothing of it is moved but what is new, if its
//           memory may be that of the result.
//   Keeps   what the program computes: each slice of the stack was overwritten by the loop.
//
//   before  while(%i = 0, %stack = %zeros) i < n
//             %s = dynamic_slice %x, %i, 0
//             %t = dynamic_update_slice %s, %u, 0, %p
//             ... reads %t
//             dynamic_update_slice %stack, %t, %i, 0
//   after   while(%i = 0, %stack = %x) i < n
//             %new = dynamic_update_slice %stack, %u, %i, %p
//             %t = dynamic_slice %new, %i, 0
//             ... reads %t
//             %new
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum { MOST_UPDATES = 8 };

typedef struct Stacking {
    Module *module;
    Op *loop;
    int carry;        // of the stack
    int axis;         // along which its slices are stacked
    Op *store;        // dynamic_update_slice of the stack
    Value *source;    // whose slices are changed
    int update_count; // of a slice, the last one first
    Op *updates[MOST_UPDATES];
} Stacking;

// ---- the form

static const Op *dynamic_slice_of(const Value *value, const Region *body) {
    const Op *op = value->def;
    return op && op->parent == body && op->code == OP_DYNAMIC_SLICE ? op : NULL;
}

// Does the op write slice number `index` along one axis, and all of the others?
static bool stores_slice(const Op *store, const Value *index, int64_t count, int *axis) {
    const Type *stack = op_operand_type(store, 0), *slice = op_operand_type(store, 1);
    *axis = -1;
    for (int d = 0; d < stack->rank; d++) {
        bool is_axis = *axis < 0 && stack->dims[d] == count && slice->dims[d] == 1 &&
                       op_operand(store, 2 + d) == index;
        if (is_axis)
            *axis = d;
        else if (slice->dims[d] != stack->dims[d])
            return false;
    }
    return *axis >= 0;
}

// The updates of a slice of an array from outside of the loop, which is taken at the same place.
static bool find_updates(Stacking *s, const Value *index) {
    const Region *body = s->loop->regions[1];
    const Type *stack = op_operand_type(s->store, 0), *stored = op_operand_type(s->store, 1);
    Value *value = value_without_ones(op_operand(s->store, 1), body);
    while (value->def && value->def->parent == body &&
           value->def->code == OP_DYNAMIC_UPDATE_SLICE) {
        if (s->update_count == MOST_UPDATES || !type_same_but_ones(value->type, stored))
            return false;
        if (op_operand_type(value->def, 1)->rank > 0 &&
            op_operand_type(value->def, 2)->element != index->type->element)
            return false;
        if (s->update_count > 0 && !value_has_one_use(value)) return false;
        s->updates[s->update_count++] = value->def;
        value = value_without_ones(op_operand(value->def, 0), body);
    }
    const Op *slice = dynamic_slice_of(value, body);
    if (!slice || s->update_count == 0) return false;
    s->source = op_operand(slice, 0);
    if (s->source->type != stack || value_region(s->source) == body ||
        op_operand(slice, 1 + s->axis) != index)
        return false;
    for (int d = 0; d < stack->rank; d++) {
        if (op_result_type(slice, 0)->dims[d] != stored->dims[d]) return false;
    }
    return true;
}

static bool find_stacking(Stacking *s, const LoopCounter *counter) {
    const Region *condition = s->loop->regions[0], *body = s->loop->regions[1];
    const Value *stack = body->args[s->carry], *index = body->args[counter->carry];
    Op *store = op_operand(region_terminator(body), s->carry)->def;
    if (!store || store->parent != body || store->code != OP_DYNAMIC_UPDATE_SLICE) return false;
    if (op_operand(store, 0) != stack || !value_has_one_use(stack)) return false;
    if (condition->args[s->carry]->uses || !value_has_one_use(op_result(store, 0))) return false;
    s->store = store;
    s->update_count = 0;
    return stores_slice(store, index, counter->count, &s->axis) && find_updates(s, index);
}

// ---- the rewriting

// The update of a slice as one of the stack.
static Value *update_stack(const Stacking *s, Op *update, Value *stack, Value *index) {
    Builder builder = builder_before(s->module, update);
    const Type *slice = op_operand_type(update, 0), *part = op_operand_type(update, 1);
    const Type *stored = op_operand_type(s->store, 1);
    Value *starts[MAX_RANK], *zero = build_splat_int(&builder, index->type, 0);
    int64_t dims[MAX_RANK];
    for (int d = 0, from = 0; d < stored->rank; d++) {
        dims[d] = 1;
        starts[d] = d == s->axis ? index : zero;
        if (stored->dims[d] == 1) continue;
        while (slice->dims[from] == 1)
            from++;
        dims[d] = part->dims[from];
        starts[d] = op_operand(update, 2 + from++);
    }
    Value *whole = build_reshape(&builder, op_operand(update, 1), stored->rank, dims);
    return build_dynamic_update_slice(&builder, stack, whole, starts);
}

static void place(const Stacking *s, const LoopCounter *counter) {
    const Region *body = s->loop->regions[1];
    Value *index = body->args[counter->carry], *stack = body->args[s->carry];
    for (int i = s->update_count - 1; i >= 0; i--)
        stack = update_stack(s, s->updates[i], stack, index);
    Op *last = s->updates[0];
    Builder builder = builder_before(s->module, last);
    Value *starts[MAX_RANK], *zero = build_splat_int(&builder, index->type, 0);
    const Type *stored = op_operand_type(s->store, 1), *type = op_result_type(last, 0);
    for (int d = 0; d < stored->rank; d++)
        starts[d] = d == s->axis ? index : zero;
    Value *slice = build_dynamic_slice(&builder, stack, starts, stored->dims);
    slice = build_reshape(&builder, slice, type->rank, type->dims);
    value_replace_uses(op_result(last, 0), slice);
    value_replace_uses(op_result(s->store, 0), stack);
    op_set_operand(s->loop, s->carry, s->source);
    op_erase(s->store);
    for (int i = 0; i < s->update_count; i++) {
        if (!op_result(s->updates[i], 0)->uses) op_erase(s->updates[i]); // else dce does
    }
}

static bool place_in_loop(Module *module, Op *loop) {
    LoopCounter counter;
    bool changed = false;
    if (!loop_counter(loop, &counter) || counter.first != 0 || counter.step != 1 ||
        counter.count < 1)
        return false;
    for (int c = 0; c < loop->result_count; c++) {
        Stacking s = {.module = module, .loop = loop, .carry = c};
        if (!find_stacking(&s, &counter)) continue;
        place(&s, &counter);
        changed = true;
    }
    return changed;
}

static bool place_in_region(Module *module, Region *region) {
    bool changed = false;
    for (Op *op = region->first; op; op = op->next) {
        for (int r = 0; r < op->region_count; r++)
            changed = place_in_region(module, op->regions[r]) || changed;
        if (op->code == OP_WHILE) changed = place_in_loop(module, op) || changed;
    }
    return changed;
}

PassResult pass_place_slices(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    return place_in_region(module, func_body(main)) ? PASS_CHANGED : PASS_UNCHANGED;
}
