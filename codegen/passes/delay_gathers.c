// delay_gathers: what the devices of a group would all compute of a gathered array, each computes
// of its part, and the result is gathered instead.
//
//   In      a device program whose @main says which arguments the devices hold alike.
//   Out     elementwise ops and reductions of an all_gather, whose other operands are the same on
//           all devices of a group, are computed of the device's part; an all_gather follows them.
//           A loop that carries what its steps gather carries the parts, and so does one that
//           stacks it. So the residuals and norms between the sharded products of a transformer are
//           computed once, and not by each device of the group, and stored once.
//   Keeps   what the program computes; of an all_gather and those that take its place one counts.
//
//   before  %1 = all_gather(%0)            after   %1 = dynamic_slice(%x, own part)
//           %2 = add(%x, %1)                       %2 = add(%1, %0)
//           %3 = dot_general(%2, %w)               %3 = dot_general(all_gather(%2), %w)
//
// Only what is computed is delayed: arguments need no barrier to be read from other devices. What
// the program returns is left alone, for its kernels store it on all devices that keep it.
#include "codegen/fuse/fuse.h"
#include "codegen/passes/delay_parts.h"
#include "codegen/passes/spread/spread.h"
#include "ir/pass/passes.h"

enum {
    LEAST_BYTES = 64 << 10, // of the array that a chain of ops begins with
    RESULT_DEPTH = 4        // of ops before a result
};

// ---- one op

// Is the value one of @main's arguments, a part of one or another view of it?
static bool is_of_arguments(const Delay *delay, const Value *value) {
    while (value->def && op_has(value->def, TRAIT_VIEW))
        value = op_operand(value->def, 0);
    bool is_argument = !value->def && value->region == delay->main;
    return is_argument || (value->def && value->def->code == OP_CONSTANT);
}

// The all_gather in the same region that the value is, or is a view of: which dimension of the
// value the parts lie along; -1 = none.
static int find_gather(
    Delay *delay, const Value *value, const Region *region, Parts *parts, int depth) {
    if (gathered_parts(delay, value, parts)) {
        const Op *gather = parts->gather;
        bool is_large =
            type_bytes(value->type) >= LEAST_BYTES || ptr_map_get(&delay->families, gather) != NULL;
        bool fits =
            gather->parent == region && is_large && !is_of_arguments(delay, op_operand(gather, 0));
        return fits ? parts->dim : -1;
    }
    const Op *op = value->def;
    if (!op || depth == 0 || op->operand_count == 0) return -1;
    bool is_view = op->code == OP_RESHAPE || op->code == OP_BROADCAST_IN_DIM ||
                   op->code == OP_TRANSPOSE || op->code == OP_DYNAMIC_SLICE;
    int from = is_view ? find_gather(delay, op_operand(op, 0), region, parts, depth - 1) : -1;
    return from >= 0 ? view_result_dim(op, from) : -1;
}

static bool is_pointwise(const Op *op) {
    return op_has(op, TRAIT_POINTWISE) && spread_is_moved(op);
}

// A reduction of one array by one op.
static bool is_reduction(const Op *op) {
    return op->code == OP_REDUCE && op->operand_count == 2 && op->result_count == 1 &&
           region_reduction_op(op->regions[0]) != OP_COUNT;
}

static int kept_dim(const Op *reduce, int from) {
    IntSpan dims = op_ints(reduce, NAME_DIMENSIONS);
    int kept = from;
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] == from) return -1;
        kept -= dims.data[i] < from;
    }
    return kept;
}

// Can the op be computed of parts? parts->dim: of its operands.
static bool can_delay(Delay *delay, const Op *op, Parts *parts) {
    bool is_reduce = is_reduction(op);
    if (!is_reduce && !is_pointwise(op)) return false;
    int arrays = is_reduce ? 1 : op->operand_count, dim = -1;
    for (int i = 0; i < arrays; i++) { // the first, but for what nobody has delayed before
        Parts found;
        int at = find_gather(delay, op_operand(op, i), op->parent, &found, VIEW_DEPTH);
        if (at < 0 || (dim >= 0 && is_succeeded(delay, found.gather))) continue;
        if (dim >= 0 && (at != dim || found.groups != parts->groups)) continue;
        dim = at;
        *parts = found;
    }
    if (dim < 0 || (is_reduce && kept_dim(op, dim) < 0)) return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        bool is_whole = i >= arrays || operand->type->rank == 0;
        // a number has no part: it must be the same on all devices of a group
        int along = is_whole ? -1 : dim, depth = is_whole ? 0 : VIEW_DEPTH;
        if (!has_part(delay, operand, parts, along, depth)) return false;
    }
    parts->dim = dim;
    return true;
}

static bool is_returned(const Delay *delay, const Value *value) {
    const Op *terminator = region_terminator(delay->main);
    for (const Use *use = value->uses; use; use = use->next)
        if (use->owner == terminator) return true;
    return false;
}

// Is all that is made of the value elementwise, and returned? The kernels of results are shared
// out anyway: a part of the way there would only be stored.
static bool leads_to_results(const Delay *delay, const Value *value, int depth) {
    if (depth == 0 || !value->uses) return false;
    const Op *terminator = region_terminator(delay->main);
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *owner = use->owner;
        if (owner == terminator) continue;
        bool is_plain = owner->parent == delay->main && owner->result_count == 1 &&
                        (is_pointwise(owner) || owner->code == OP_RESHAPE);
        if (!is_plain || !leads_to_results(delay, op_result(owner, 0), depth - 1)) return false;
    }
    return true;
}

static void delay_op(Delay *delay, Op *op, const Parts *parts) {
    bool is_reduce = op->code == OP_REDUCE;
    Builder builder = builder_before(delay->module, op);
    int arrays = is_reduce ? 1 : op->operand_count;
    Value **operands = ARENA_ARRAY(delay->arena, Value *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        bool is_whole = i >= arrays || operand->type->rank == 0;
        operands[i] = is_whole
                          ? operand
                          : build_part(delay, &builder, operand, parts, parts->dim, VIEW_DEPTH);
    }
    PtrMap values = ptr_map(delay->arena);
    Op *copy = op_clone(&builder, op, &values);
    for (int i = 0; i < op->operand_count; i++)
        op_set_operand(copy, i, operands[i]);
    int dim = is_reduce ? kept_dim(op, parts->dim) : parts->dim;
    op_result(copy, 0)->type = part_type(delay, op_result_type(op, 0), parts, dim);
    Value *gathered = gather_part(delay, &builder, op_result(copy, 0), parts, dim);
    value_replace_uses(op_result(op, 0), gathered);
    op_erase(op);
    delay->changed = true;
}

// ---- loops

// What a step returns for carry i: gathered parts, or a stack that takes such parts. *stored: the
// dynamic_update_slice of the stack, or NULL.
static bool returns_parts(Delay *delay, const Op *loop, int i, Parts *parts, Op **stored) {
    const Region *body = loop->regions[1];
    const Value *value = op_operand(region_terminator(body), i), *carry = body->args[i];
    *stored = NULL;
    if (!gathered_parts(delay, value, parts)) {
        Op *op = value->def;
        bool is_stack = op && op->parent == body && op->code == OP_DYNAMIC_UPDATE_SLICE &&
                        op_operand(op, 0) == carry && value_has_one_use(carry) &&
                        value_has_one_use(value) && value != carry;
        if (!is_stack) return false;
        int dim = find_gather(delay, op_operand(op, 1), body, parts, VIEW_DEPTH);
        if (dim < 0 || op_operand_type(op, 1)->dims[dim] != carry->type->dims[dim]) return false;
        if (!has_part(delay, op_operand(op, 1), parts, dim, VIEW_DEPTH)) return false;
        for (int k = 2; k < op->operand_count; k++)
            if (!replicas_are_alike(&delay->replicas, op_operand(op, k), parts->groups))
                return false;
        parts->dim = dim;
        *stored = op;
        return true;
    }
    return parts->gather->parent == body && !is_of_arguments(delay, op_operand(parts->gather, 0)) &&
           type_bytes(value->type) >= LEAST_BYTES;
}

// The value is a part from now on: who reads all of it reads an all_gather, and who took the
// device's part of it takes the value.
static void becomes_part(
    Delay *delay, Builder *builder, Value *value, const Type *part, const Parts *parts) {
    value->type = part;
    if (value->number < delay->replicas.values)
        delay->replicas.classes[value->number] = delay->replicas.apart;
    if (!value->uses) return;
    Value *whole = gather_part(delay, builder, value, parts, parts->dim);
    value_replace_uses_except(value, whole, whole->def);
    for (Use *use = whole->uses, *next; use; use = next) {
        next = use->next;
        Op *op = use->owner;
        if (use_index(use) != 0 || !is_own_part(delay, op, part, parts)) continue;
        value_replace_uses(op_result(op, 0), value);
        op_erase(op);
    }
}

static void carry_parts(Delay *delay, Op *loop, int i, const Parts *parts, Op *stored) {
    Region *body = loop->regions[1];
    Module *module = delay->module;
    Builder before = builder_before(module, loop), first = builder_before(module, body->first),
            after = builder_after(module, loop);
    op_set_operand(
        loop, i, build_part(delay, &before, op_operand(loop, i), parts, parts->dim, VIEW_DEPTH));
    const Type *part = op_operand_type(loop, i);
    loop->regions[0]->args[i]->type = part;
    if (stored) {
        Builder builder = builder_before(module, stored);
        Value *update =
            build_part(delay, &builder, op_operand(stored, 1), parts, parts->dim, VIEW_DEPTH);
        op_set_operand(stored, 1, update);
        body->args[i]->type = op_result(stored, 0)->type = part;
    } else {
        becomes_part(delay, &first, body->args[i], part, parts);
        op_set_operand(region_terminator(body), i, op_operand(parts->gather, 0));
    }
    becomes_part(delay, &after, op_result(loop, i), part, parts);
    delay->changed = true;
}

static bool carry_parts_of_loop(Delay *delay, Op *loop) {
    bool changed = false;
    for (int i = 0; i < loop->result_count; i++) {
        Parts parts;
        Op *stored;
        if (loop->regions[0]->args[i]->uses || !returns_parts(delay, loop, i, &parts, &stored) ||
            is_returned(delay, op_result(loop, i)) ||
            !has_part(delay, op_operand(loop, i), &parts, parts.dim, VIEW_DEPTH))
            continue;
        carry_parts(delay, loop, i, &parts, stored);
        changed = true;
    }
    return changed;
}

static void delay_in_region(Delay *delay, Region *region);

static void delay_in_control(Delay *delay, Op *op) {
    enum { MOST_ROUNDS = 4 };
    if (op->code != OP_WHILE) {
        for (int r = 0; r < op->region_count; r++)
            delay_in_region(delay, op->regions[r]);
        return;
    }
    for (int round = 0; round < MOST_ROUNDS; round++) {
        delay_in_region(delay, op->regions[1]);
        if (!carry_parts_of_loop(delay, op)) break;
    }
}

static void delay_in_region(Delay *delay, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        Parts parts;
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            delay_in_control(delay, op);
            next = op->next;
        } else if (
            op->result_count == 1 && op_result(op, 0)->uses &&
            !leads_to_results(delay, op_result(op, 0), RESULT_DEPTH) &&
            !is_returned(delay, op_result(op, 0)) && can_delay(delay, op, &parts)) {
            delay_op(delay, op, &parts);
        }
    }
}

// ---- bytes

// Ops that nobody reads any more.
static void erase_unread(Region *region) {
    for (Op *op = region->last, *before; op; op = before) {
        before = op->prev;
        for (int r = 0; r < op->region_count; r++)
            erase_unread(op->regions[r]);
        bool is_plain = op->code == OP_ALL_GATHER || op_has(op, TRAIT_VIEW) || is_pointwise(op);
        if (is_plain && op->result_count == 1 && !op_result(op, 0)->uses) op_erase(op);
    }
}

static bool choose_counted(Op *op, void *user) {
    Delay *delay = user;
    GatherFamily *family = ptr_map_get(&delay->families, op);
    if (op->code != OP_ALL_GATHER || !family || !family->counts) return true;
    bool is_like_first =
        op->parent == family->region && type_bytes(op_result_type(op, 0)) == family->bytes;
    if (!family->counted || is_like_first) family->counted = op;
    return true;
}

static bool mark_uncounted(Op *op, void *user) {
    Delay *delay = user;
    Context *context = delay->module->context;
    const GatherFamily *family = ptr_map_get(&delay->families, op);
    if (op->code != OP_ALL_GATHER || !family) return true;
    const Attr *mark = family->counted == op ? NULL : attr_unit(context);
    op_set_extra(delay->module, op, context_name(context, SV(UNCOUNTED)), mark);
    return true;
}

PassResult pass_delay_gathers(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    Arena *arena = pass->scratch;
    Delay delay = {
        .module = module, .arena = arena, .even = ptr_map(arena), .families = ptr_map(arena)};
    if (!main || !replicas_find_marked(module, main, arena, &delay.replicas) ||
        delay.replicas.devices < 2)
        return PASS_UNCHANGED;
    delay.main = func_body(main);
    delay_in_region(&delay, delay.main);
    if (delay.changed) {
        erase_unread(delay.main);
        region_walk(delay.main, choose_counted, &delay);
        region_walk(delay.main, mark_uncounted, &delay);
    }
    return delay.changed ? PASS_CHANGED : PASS_UNCHANGED;
}
