// memory_estimate: a walk over the device program that counts live bytes.
#include "partition/memory_estimate.h"

#include "base/map.h"

static int64_t value_bytes(const Value *value) {
    if (!type_is_static(value->type)) return 0;
    const Op *def = value->def;
    if (def && op_has(def, TRAIT_CONSTANT)) return 0;
    // These only rename elements.
    if (def &&
        (def->code == OP_RESHAPE || def->code == OP_BROADCAST_IN_DIM || def->code == OP_TRANSPOSE))
        return 0;
    return (int64_t)type_bytes(value->type);
}

// The op of the region at which the value is last used, inside of it perhaps; NULL when there is no use. order: op to its place.
static const Op *last_use(const Region *region, const PtrMap *order, const Value *value) {
    const Op *last = NULL;
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *op = region_ancestor_of(region, use->owner);
        if (!op) continue;
        bool later = !last || (intptr_t)ptr_map_get(order, op) > (intptr_t)ptr_map_get(order, last);
        if (later) last = op;
    }
    return last;
}

// Bytes that end with each op, as a list in op order would be; the map goes from the op to the sum.
static void ends_with(PtrMap *freed, const Op *op, int64_t bytes) {
    int64_t before = (int64_t)(intptr_t)ptr_map_get(freed, op);
    ptr_map_set(freed, op, (void *)(intptr_t)(before + bytes));
}

static int64_t region_peak(const Region *region, Arena *scratch) {
    PtrMap freed = ptr_map(scratch), order = ptr_map(scratch);
    int64_t live = 0, peak = 0;
    intptr_t place = 0;
    for (const Op *op = region->first; op; op = op->next) ptr_map_set(&order, op, (void *)++place);
    for (const Op *op = region->first; op; op = op->next) {
        int64_t inside = 0;
        for (int r = 0; r < op->region_count; r++) {
            int64_t nested = region_peak(op->regions[r], scratch);
            inside = nested > inside ? nested : inside;
        }
        for (int i = 0; i < op->result_count; i++) {
            int64_t bytes = value_bytes(op_result(op, i));
            const Op *end = last_use(region, &order, op_result(op, i));
            live += bytes;
            ends_with(&freed, end ? end : op, bytes);
        }
        peak = live + inside > peak ? live + inside : peak;
        live -= (int64_t)(intptr_t)ptr_map_get(&freed, op);
    }
    return peak;
}

MemoryEstimate memory_estimate(const DeviceProgram *program, Arena *scratch) {
    MemoryEstimate estimate = {0};
    for (int i = 0; i < program->arg_count; i++) {
        estimate.argument_bytes += (int64_t)type_bytes(program->args[i].local);
    }
    for (int i = 0; i < program->result_count; i++) {
        estimate.result_bytes += (int64_t)type_bytes(program->results[i].local);
    }
    estimate.temporary_bytes = region_peak(func_body(program->main), scratch);
    return estimate;
}
