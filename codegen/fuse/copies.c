// copies: every value that must lie in a place of its own becomes the result of an op of its own.
//
//   In      a device program in canonical form.
//   Out     each of these is the result of an op in the region where it is needed, and nobody
//           else wants it in another place:
//             what @main and the regions of while, if and case return; the operands of while;
//             the operand that dynamic_update_slice or scatter overwrites.
//           Where that was not so, a copy (a reshape to the same shape) stands in between;
//           share.c removes those that need not be made. An argument whose tile reaches beyond
//           the array is read through a copy at the start, such a result is written through one.
//           What enters a loop that fills all of it first is a copy that no kernel makes. The copy
//           of an array that a step stacks its values in (stacks.c) stands where the step begins.
//           Small parts of what is overwritten are stored before, where that leaves nobody who
//           reads the array afterwards: then the copy can go.
//   Keeps   what the program computes.
//
//   before  stablehlo.while(%i = %c, %x = %arg0)
//   after   %0 = stablehlo.reshape %c
//           %1 = stablehlo.reshape %arg0
//           stablehlo.while(%i = %0, %x = %1)
#include "codegen/fuse/fuse.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"

bool type_is_stored(const Type *type) { return type->kind == TYPE_TENSOR; }

bool layout_is_uneven(const GlobalLayout *layout, int64_t device_count) {
    if (layout->local->kind != TYPE_TENSOR) return false;
    for (int64_t device = 0; device < device_count; device++) {
        for (int d = 0; d < layout->local->rank; d++) {
            if (layout_extent(layout, device, d) < layout->local->dims[d]) return true;
        }
    }
    return false;
}

Value *make_copy(Module *module, Op *before, Value *value) {
    Builder builder = builder_before(module, before);
    if (value->loc) builder.loc = value->loc;
    Op *copy = build_op(&builder, OP_RESHAPE, 1, &value, 1, &value->type, 0);
    return op_result(copy, 0);
}

// Can the value be computed right where operand i of op needs it? It is made in op's region by an
// op that a kernel can be made for.
static bool is_made_here(const Value *value, const Op *op) {
    if (!value->def || value->def->parent != op->parent) return false;
    if (value->def->code == OP_CONSTANT || value->def->code == OP_CHLO_CONSTANT) return false;
    LowerClass lower = lower_class(value->def, NULL);
    return lower == LOWER_ELEMENT || lower == LOWER_REDUCE || lower == LOWER_UPDATE ||
           lower == LOWER_KERNEL;
}

static bool is_earlier_operand(const Op *op, int i) {
    for (int j = 0; j < i; j++) {
        if (op_operand(op, j) == op_operand(op, i)) return true;
    }
    return false;
}

// The value's place is decided by one op alone: a terminator, a while, or an op that works in
// place.
static bool has_other_place(const Value *value, const Op *op) {
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *owner = use->owner;
        if (owner == op) continue;
        if (op_has(owner, TRAIT_TERMINATOR) || owner->code == OP_WHILE) return true;
        if (op_is_in_place(owner)) return true;
    }
    return false;
}

static void copy_operand(Module *module, Op *op, int i) {
    bool is_stack = i == 0 && op_extra(op, STACKS); // its slice may be written early
    Op *before = is_stack ? op->parent->first : op;
    op_set_operand(op, i, make_copy(module, before, op_operand(op, i)));
}

// What a region returns. A value that nobody else uses is computed at the end, so that its
// place (a carry) is free until then.
static void place_returned(Module *module, Region *region) {
    Op *terminator = region_terminator(region);
    if (!terminator) return;
    for (int i = 0; i < terminator->operand_count; i++) {
        Value *value = op_operand(terminator, i);
        if (!type_is_stored(value->type)) continue;
        bool direct = is_made_here(value, terminator) && !is_earlier_operand(terminator, i) &&
                      !has_other_place(value, terminator);
        if (!direct) {
            copy_operand(module, terminator, i);
        } else if (value_has_one_use(value) && lower_class(value->def, NULL) == LOWER_ELEMENT) {
            op_move_before(value->def, terminator);
        }
    }
}

// Memory that the loop fills needs no value: what enters is a copy that no kernel makes.
static void enter_unwritten(Module *module, Op *loop, int i) {
    Builder builder = builder_before(module, loop);
    Value *nothing = build_splat_int(&builder, op_operand_type(loop, i), 0);
    Value *copy = make_copy(module, loop, nothing);
    op_set_extra(
        module, copy->def, context_name(module->context, SV(UNWRITTEN)),
        attr_unit(module->context));
    op_set_operand(loop, i, copy);
}

// ---- parts that are read before

enum { SMALL_PART = 8, MOST_STEPS = 256 }; // the array is so many times larger; ops looked at

// The order of the program's ops; copies that were added stand where their readers do.
typedef struct Order {
    Module *module;
    int64_t op_count;
    int64_t next, *positions; // by Op.number, of ops that are no such copy
} Order;

static bool number_op(Op *op, void *user) {
    Order *order = user;
    order->positions[op->number] = order->next++;
    return true;
}

static bool comes_before(const Order *order, const Op *op, const Op *update) {
    return op->number < order->op_count &&
           order->positions[op->number] < order->positions[update->number];
}

// Do all that read the value, through elementwise ops, do so for the update?
static bool is_read_for(const Value *value, const Op *update, int *steps) {
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *owner = use->owner;
        if (owner == update) continue;
        if (++*steps > MOST_STEPS || owner->parent != update->parent || owner->result_count != 1 ||
            lower_class(owner, NULL) != LOWER_ELEMENT)
            return false;
        if (!is_read_for(op_result(owner, 0), update, steps)) return false;
    }
    return true;
}

// Could the op stand before the update, if what it needs does, too?
static bool may_come_before(const Order *order, const Op *op, const Op *update, int *steps) {
    if (op->parent != update->parent || comes_before(order, op, update)) return true;
    bool is_element = lower_class(op, NULL) == LOWER_ELEMENT && op->result_count == 1;
    if (++*steps > MOST_STEPS || (!is_element && !op_has(op, TRAIT_CONSTANT))) return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        if (def == update || (def && !may_come_before(order, def, update, steps))) return false;
    }
    return true;
}

// It stands before the copy, and what it needs.
static void come_before(const Order *order, Op *op, Op *copy, const Op *update) {
    if (op->parent != update->parent || comes_before(order, op, update)) return;
    for (int i = 0; i < op->operand_count; i++) {
        Op *def = op_operand(op, i)->def;
        if (def) come_before(order, def, copy, update);
    }
    op_move_before(op, copy);
    order->positions[op->number] = order->positions[update->number] - 1;
}

// The small part that the op takes of the value: itself, or who alone reads what it makes of the
// value (a slice of all devices' parts). NULL = there is none.
static Op *small_part(Op *op, const Value *of) {
    enum { MOST_BETWEEN = 4 };
    const Value *from = of;
    for (int i = 0; i <= MOST_BETWEEN; i++) {
        if (lower_class(op, NULL) != LOWER_ELEMENT || op->result_count != 1 ||
            op_operand(op, 0) != from)
            return NULL;
        const Value *result = op_result(op, 0);
        if (type_element_count(result->type) <= type_element_count(of->type) / SMALL_PART)
            return op;
        if (!value_has_one_use(result) || result->uses->owner->parent != op->parent) return NULL;
        from = result;
        op = result->uses->owner;
    }
    return NULL;
}

// Does an element of the update need no other element of the array than the one that it becomes, or
// is it the only one? Then it is read as it is overwritten (update_reads_apart).
static bool is_read_apart(const Op *op, const Op *update) {
    const Type *written = op_operand_type(update, 1);
    if (type_element_count(written) == 1) return !op_has(op, TRAIT_COLLECTIVE);
    if (op->code != OP_DYNAMIC_SLICE || !type_same_shape(op_result_type(op, 0), written))
        return false;
    for (int i = 1; i < op->operand_count; i++)
        if (op_operand(op, i) != op_operand(update, i + 1)) return false;
    return true;
}

typedef enum ReadKind {
    READ_IN_TIME, // before the update, or for it
    READ_PART,    // may be stored before it
    READ_LATE
} ReadKind;

static ReadKind kind_of_read(const Order *order, Op *op, const Value *value, const Op *update) {
    if (op == update) return READ_IN_TIME;
    if (op->parent != update->parent) return READ_LATE;
    int steps = 0;
    LowerClass lower = lower_class(op, NULL);
    if (lower == LOWER_REDUCE || lower == LOWER_UPDATE || lower == LOWER_KERNEL)
        return comes_before(order, op, update) ? READ_IN_TIME : READ_LATE;
    if (lower != LOWER_ELEMENT || op->result_count != 1) return READ_LATE;
    const Op *part = small_part(op, value);
    bool is_for_update =
        update->code == OP_DYNAMIC_UPDATE_SLICE && is_read_for(op_result(op, 0), update, &steps);
    if (is_for_update && (!part || is_read_apart(op, update))) return READ_IN_TIME;
    steps = 0;
    if (part && may_come_before(order, part, update, &steps)) return READ_PART;
    return is_for_update ? READ_IN_TIME : READ_LATE;
}

// The copy of what the update overwrites was made: who reads the original?
static void read_before(const Order *order, Op *copy, const Op *update) {
    const Value *value = op_operand(copy, 0);
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner != copy && kind_of_read(order, use->owner, value, update) == READ_LATE)
            return;
    }
    Module *module = order->module;
    for (const Use *use = value->uses; use; use = use->next) {
        Op *op = use->owner;
        if (op == copy || kind_of_read(order, op, value, update) != READ_PART) continue;
        Op *part = small_part(op, value);
        come_before(order, part, copy, update);
        op_set_extra(
            module, part, context_name(module->context, SV(READ_BEFORE)),
            attr_unit(module->context));
    }
}

// An operand that the op overwrites must have no other reader.
static void place_overwritten(const Order *order, Op *op, int count) {
    for (int i = 0; i < count; i++) {
        Value *value = op_operand(op, i);
        if (!type_is_stored(value->type)) continue;
        if (is_made_here(value, op) && value_has_one_use(value)) continue;
        copy_operand(order->module, op, i);
        if (op_is_in_place(op)) read_before(order, op_operand(op, i)->def, op);
    }
}

// What the body yields is computed in a place of its own, and copied into the carries when
// everything that reads them is done.
static void copy_into_carries(Module *module, Op *op) {
    Op *terminator = region_terminator(op->regions[1]);
    for (int i = 0; terminator && i < terminator->operand_count; i++) {
        if (type_is_stored(op_operand(terminator, i)->type)) copy_operand(module, terminator, i);
    }
}

static void place_values(const Order *order, Region *region) {
    Module *module = order->module;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_WHILE) {
            for (int i = 0; i < op->operand_count; i++)
                if (loop_fills_carry(op, i)) enter_unwritten(module, op, i);
            place_overwritten(order, op, op->operand_count);
        } else if (op_is_in_place(op)) {
            place_overwritten(order, op, op->code == OP_SCATTER ? op->result_count : 1);
        }
        if (lower_class(op, NULL) != LOWER_CONTROL) continue;
        for (int r = 0; r < op->region_count; r++) {
            place_values(order, op->regions[r]);
            place_returned(module, op->regions[r]);
        }
        if (op->code == OP_WHILE) copy_into_carries(module, op);
    }
}

static void copy_uneven_arguments(DeviceProgram *program) {
    Region *body = func_body(program->main);
    for (int i = 0; i < program->arg_count; i++) {
        Value *arg = body->args[i];
        if (!arg->uses || !layout_is_uneven(&program->args[i], program->device_count)) continue;
        Value *copy = make_copy(program->module, body->first, arg);
        value_replace_uses_except(arg, copy, copy->def);
    }
}

static void copy_uneven_results(DeviceProgram *program) {
    Op *terminator = region_terminator(func_body(program->main));
    for (int i = 0; i < program->result_count; i++) {
        if (layout_is_uneven(&program->results[i], program->device_count)) {
            copy_operand(program->module, terminator, i);
        }
    }
}

void insert_copies(DeviceProgram *program) {
    copy_uneven_arguments(program);
    Module *module = program->module;
    Arena *scratch = arena_child(module->arena);
    mark_stacks(program);
    Order order = {.module = module, .op_count = module->next_op_number};
    order.positions = ARENA_ARRAY(scratch, int64_t, order.op_count);
    region_walk(func_body(program->main), number_op, &order);
    place_values(&order, func_body(program->main));
    arena_reset(scratch);
    copy_uneven_results(program);
    place_returned(program->module, func_body(program->main));
}
