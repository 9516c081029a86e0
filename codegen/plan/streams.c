// Results around the caches: see streams.h.
#include "codegen/plan/streams.h"

#include <string.h>

enum { STREAM_FROM = 4 << 20, MAX_STREAMED = 16, LEAST_ROW = 256, LINE = 64 };

static int64_t bytes_of(int count, const KernelOperand *operands) {
    int64_t bytes = 0;
    for (int k = 0; k < count; k++)
        bytes += (int64_t)type_bytes(operands[k].value->type);
    return bytes;
}

// Results of half of the caches stay in them only if what they are made of does, too. What a part
// of a KERNEL_BLOCKS makes is read by the next one.
bool stream_fits(const Kernel *kernel, int64_t devices, const Target *target) {
    int64_t written = bytes_of(kernel->output_count, kernel->outputs),
            moved = written + bytes_of(kernel->input_count, kernel->inputs),
            cached = target->l3_bytes;
    bool is_x86 = strncmp(target->triple, "x86_64", 6) == 0;
    if (!is_x86 || kernel->block.rows || written < STREAM_FROM || written * devices < cached / 2 ||
        moved * devices < cached)
        return false;
    for (int i = 0; i < kernel->input_count; i++) {
        if (kernel->inputs[i].shares) return false; // the lines are read anyway
    }
    return true;
}

int stream_value_count(int store_count, const Store *stores) {
    int count = 0;
    for (int i = 0; i < store_count; i++) {
        int j = 0;
        while (stores[j].value != stores[i].value || stores[j].output != stores[i].output)
            j++;
        count += j == i;
    }
    return count;
}

bool stream_pays(
    const Kernel *kernel, int64_t devices, const Target *target, const Space *space,
    int store_count, const Store *stores) {
    if (!stream_fits(kernel, devices, target) || space->inner < 0) return false;
    if (store_count > MAX_STREAM_STORES || stream_value_count(store_count, stores) > MAX_STREAMED)
        return false;
    return space->stores_contiguously && space->axes[space->inner].extent >= LEAST_ROW;
}

bool stream_is_direct(int store_count, const Store *stores) {
    const Expr *value = stores[0].value;
    return store_count == 1 && value->kind != EXPR_LOAD && !value->device &&
           element_class(value->element) != CLASS_COMPLEX;
}

bool stream_begins_alike(const Stage *stage, const Store *store, int count, const int *variables) {
    for (int a = 0; a < stage->axis_count; a++) { // arrays of devices begin anywhere
        if (store->device && index_depends_on(store->device, stage->axes[a].variable)) return false;
    }
    int64_t size = (int64_t)element_bytes(store->output->type->element);
    for (int i = 0; i < store->at->term_count; i++) {
        const IndexAtom *atom = store->at->atoms[i];
        bool is_one = false;
        for (int k = 0; k < count && atom->kind == INDEX_VARIABLE; k++)
            is_one = is_one || atom->id == variables[k];
        if (!is_one && store->at->factors[i] * size % LINE != 0) return false;
    }
    return true;
}

// ---- transposes

// Do lines of the result begin at the same places of the inner axis, whatever the others are?
static bool lines_are_alike(const Stage *stage, const Space *space) {
    const Store *store = &stage->stores[0];
    const SpaceAxis *inner = &space->axes[space->inner];
    int64_t size = (int64_t)element_bytes(store->output->type->element);
    int variables[MAX_PARTS];
    for (int k = 0; k < inner->count; k++)
        variables[k] = stage->axes[space->parts[inner->first + k].dim].variable;
    if (!stream_begins_alike(stage, store, inner->count, variables)) return false;
    for (int p = 0; p < space->part_count; p++) { // other parts of the same dimensions
        int64_t factor;
        if (p >= inner->first && p < inner->first + inner->count) continue;
        int variable = stage->axes[space->parts[p].dim].variable;
        if (!index_is_affine_in(store->at, variable, &factor) ||
            factor * space->parts[p].stride * size % LINE != 0)
            return false;
    }
    return true;
}

static bool takes_lines(const Plan *plan, const Kernel *kernel) {
    const Stage *stage = kernel->stage;
    if (!stage || stage->kind != STAGE_MAP || kernel->kind != KERNEL_LOOP || !stage->space)
        return false;
    const Space *space = stage->space;
    if (!space->turns || space->inner < 0 || stage->store_count != 1) return false;
    if (element_class(stage->stores[0].value->element) == CLASS_COMPLEX ||
        element_bytes(stage->stores[0].output->type->element) > LINE / 8)
        return false;
    return space->axes[space->tile].cut_count == 1 && space->axes[space->inner].cut_count == 1 &&
           stream_pays(
               kernel, plan->program->device_count, plan->target, space, 1, stage->stores) &&
           lines_are_alike(stage, space);
}

void plan_line_tiles(Plan *plan) {
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        if (takes_lines(plan, kernel)) kernel->stage->space->by_lines = true;
    }
}
