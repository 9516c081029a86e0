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
//           What enters a loop that fills all of it first is a copy that no kernel makes.
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
    op_set_operand(op, i, make_copy(module, op, op_operand(op, i)));
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

// An operand that the op overwrites must have no other reader.
static void place_overwritten(Module *module, Op *op, int count) {
    for (int i = 0; i < count; i++) {
        Value *value = op_operand(op, i);
        if (!type_is_stored(value->type)) continue;
        if (!is_made_here(value, op) || !value_has_one_use(value)) copy_operand(module, op, i);
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

static void place_values(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_WHILE) {
            for (int i = 0; i < op->operand_count; i++)
                if (loop_fills_carry(op, i)) enter_unwritten(module, op, i);
            place_overwritten(module, op, op->operand_count);
        } else if (op_is_in_place(op)) {
            place_overwritten(module, op, op->code == OP_SCATTER ? op->result_count : 1);
        }
        if (lower_class(op, NULL) != LOWER_CONTROL) continue;
        for (int r = 0; r < op->region_count; r++) {
            place_values(module, op->regions[r]);
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
    place_values(program->module, func_body(program->main));
    copy_uneven_results(program);
    place_returned(program->module, func_body(program->main));
}
