// The values of a run: what each is on every lane, and when its storage is free for others.
#include "ir/eval/eval_internal.h"

Tensor *eval_get(const Eval *eval, const Value *value, int lane) {
    const Slot *slot = ptr_map_get(&eval->slots, value);
    return slot && lane < slot->capacity ? slot->lanes[lane] : NULL;
}

void eval_set(Eval *eval, const Value *value, int lane, Tensor *tensor) {
    Slot *slot = ptr_map_get(&eval->slots, value);
    if (!slot) {
        slot = ARENA_NEW(eval->arena, Slot);
        ptr_map_set(&eval->slots, value, slot);
    }
    if (lane >= slot->capacity) {
        int capacity = lane == 0 ? 1 : lane < 8 ? 8 : 2 * lane;
        Tensor **grown = ARENA_ARRAY(eval->arena, Tensor *, capacity);
        for (int i = 0; i < slot->capacity; i++)
            grown[i] = slot->lanes[i];
        slot->lanes = grown;
        slot->capacity = capacity;
    }
    Tensor *before = slot->lanes[lane];
    slot->lanes[lane] = tensor;
    eval_release(eval, before);
}

Tensor *eval_operand(const Eval *eval, const Op *op, int i) {
    return eval_get(eval, op_operand(op, i), eval->lane);
}

void eval_set_result(Eval *eval, const Op *op, int i, Tensor *tensor) {
    eval_set(eval, op_result(op, i), eval->lane, tensor);
}

static void drop_value(Eval *eval, const Value *value, Lanes lanes) {
    Slot *slot = ptr_map_get(&eval->slots, value);
    for (int k = 0; slot && k < lanes.count; k++) {
        int lane = lanes.ids[k];
        if (lane >= slot->capacity) continue;
        eval_release(eval, slot->lanes[lane]);
        slot->lanes[lane] = NULL;
    }
}

typedef struct LastUseWalk {
    const Region *region;
    Op *top;          // the op of the region that contains what is walked
    PtrMap last_uses; // Value * -> Op *
} LastUseWalk;

typedef struct DeadValue {
    const Value *value;
    struct DeadValue *next;
} DeadValue;

static bool note_last_use(Op *op, void *user) {
    LastUseWalk *walk = user;
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = op_operand(op, i);
        if (value_region(value) == walk->region)
            ptr_map_set(&walk->last_uses, value, walk->top); // the last one stays
    }
    return true;
}

static void note_death(Eval *eval, const Value *value, const Op *op) {
    DeadValue *dead = ARENA_NEW(eval->arena, DeadValue);
    *dead = (DeadValue){value, ptr_map_get(&eval->deaths, op)};
    ptr_map_set(&eval->deaths, op, dead);
}

void eval_find_last_uses(Eval *eval, const Region *region) {
    if (ptr_map_has(&eval->regions, region)) return;
    ptr_map_set(&eval->regions, region, eval);
    LastUseWalk walk = {region, NULL, ptr_map(eval->arena)};
    for (Op *op = region->first; op; op = op->next) {
        walk.top = op;
        note_last_use(op, &walk);
        for (int r = 0; r < op->region_count; r++)
            region_walk(op->regions[r], note_last_use, &walk);
    }
    for (int i = 0; i < region->arg_count; i++) {
        const Op *last = ptr_map_get(&walk.last_uses, region->args[i]);
        if (last) note_death(eval, region->args[i], last);
    }
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++) {
            const Op *last = ptr_map_get(&walk.last_uses, op_result(op, i));
            note_death(eval, op_result(op, i), last ? last : op);
        }
    }
}

void eval_drop_dead(Eval *eval, const Op *op) {
    for (DeadValue *dead = ptr_map_get(&eval->deaths, op); dead; dead = dead->next)
        drop_value(eval, dead->value, eval->lanes);
}

void eval_drop_region(Eval *eval, const Region *region, Lanes lanes) {
    for (int i = 0; i < region->arg_count; i++)
        drop_value(eval, region->args[i], lanes);
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            drop_value(eval, op_result(op, i), lanes);
    }
}

const Type *eval_result_type(Eval *eval, const Op *op, int i, const Type *like) {
    const Type *type = op_result_type(op, i);
    if (type_is_static(type) || like->kind != TYPE_TENSOR) return type;
    Type known = *type;
    known.rank = like->rank;
    known.unranked = false;
    known.is_bounded = false;
    for (int d = 0; d < like->rank; d++)
        known.dims[d] = like->dims[d];
    return type_intern(eval->module->context, &known);
}

bool eval_has_quantized(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->kind == TYPE_TENSOR && type->quant) return true;
    }
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        if (type->kind == TYPE_TENSOR && type->quant) return true;
    }
    return false;
}
