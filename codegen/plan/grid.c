// Chunks of kernels that are stages of maps, folds and scans.
#include "codegen/plan/grid.h"

#include "codegen/expr/costly.h"
#include "codegen/plan/stage.h"

enum { CHUNK_BYTES = 32 << 10, MAX_GRID = 1 << 16 };

int64_t grid_of_bytes(int64_t bytes) {
    int64_t grid = bytes / CHUNK_BYTES;
    return grid < 1 ? 1 : grid > MAX_GRID ? MAX_GRID : grid;
}

// Work of a few such parts is cut finer: three of them would keep two lanes busy in turn, and lanes
// whose parts differ from kernel to kernel would fetch what they read from each other's caches.
enum { FEW = 64, FINER = 4 };

// A kernel of so many chunks (of 256 KB) is worth several lanes in every round of a loop. What is
// smaller costs more by the lines that go from cache to cache, as the next kernel is cut in other
// parts or not at all.
enum { LARGE_IN_LOOP = 8 * FINER };

static int64_t grid_of_work(int64_t bytes) {
    int64_t grid = grid_of_bytes(bytes);
    return grid > 1 && grid < FEW ? grid * FINER : grid;
}

static double work_of_pass(PtrMap *seen, const RowPass *pass) {
    double work = 0, elements = 1;
    for (int i = 0; i < pass->keep_count; i++)
        work += expr_work(seen, pass->keeps[i].value);
    for (int i = 0; i < pass->store_count; i++)
        work += expr_work(seen, pass->stores[i].value);
    for (int i = 0; i < pass->fold_count; i++)
        for (int k = 0; k < pass->folds[i].fold->count; k++)
            work += expr_work(seen, pass->folds[i].fold->step[k]);
    for (int k = 0; k < pass->axis_count; k++)
        elements *= (double)pass->axes[k].extent;
    return work * elements;
}

// What is computed, in cheap operations.
static double work_of_stage(const Stage *stage) {
    PtrMap seen = ptr_map(stage->exprs->arena);
    double work = 0, elements = 1, steps = 1;
    for (int i = 0; i < stage->store_count; i++)
        work += expr_work(&seen, stage->stores[i].value);
    for (int k = 0; stage->fold && k < stage->fold->axis_count; k++)
        steps *= (double)stage->fold->axes[k].extent;
    for (int k = 0; stage->fold && k < stage->fold->count; k++)
        work += steps * expr_work(&seen, stage->fold->step[k]);
    for (int p = 0; stage->rows && p < stage->rows->pass_count; p++)
        work += work_of_pass(&seen, &stage->rows->passes[p]);
    for (int d = 0; d < stage->axis_count; d++)
        elements *= (double)stage->axes[d].extent;
    return work * elements;
}

// Small arrays may take long to compute: an operation on a vector is about a byte's worth for each
// of its elements.
static int64_t grid_of_stage(const Stage *stage, int64_t bytes) {
    int64_t grid = grid_of_work(bytes);
    if (!stage || grid >= FEW) return grid;
    double work = work_of_stage(stage);
    int64_t by_work = grid_of_work(work < FEW * CHUNK_BYTES ? (int64_t)work : FEW * CHUNK_BYTES);
    by_work = by_work < FEW ? by_work : FEW;
    return by_work > grid ? by_work : grid;
}

// Of each input at most so many elements.
static int64_t bytes_up_to(const Kernel *kernel, int64_t elements) {
    int64_t bytes = 0;
    for (int i = 0; i < kernel->output_count; i++)
        bytes += (int64_t)type_bytes(kernel->outputs[i].value->type);
    for (int i = 0; i < kernel->input_count; i++) {
        const Type *type = kernel->inputs[i].value->type;
        int64_t all = (int64_t)type_bytes(type), size = (int64_t)element_bytes(type->element);
        bytes += elements < all / size ? elements * size : all;
    }
    return bytes;
}

int64_t operands_bytes(const Kernel *kernel) { return bytes_up_to(kernel, INT64_MAX); }

// What is read once for each element of the result, or of what is reduced, may be a part of an
// array: a row of a table, or the one that a loop has come to.
static int64_t elements_read(const Kernel *kernel) {
    const Stage *stage = kernel->stage;
    bool is_map = stage && stage->kind == STAGE_MAP && stage->exprs->fold_count == 0;
    bool is_fold = stage && stage->kind == STAGE_FOLD && stage->exprs->fold_count == 1;
    if (is_fold) return type_element_count(op_operand_type(kernel->root, 0));
    if (!is_map) return INT64_MAX;
    int64_t elements = 0;
    for (int i = 0; i < kernel->output_count; i++)
        elements += type_element_count(kernel->outputs[i].value->type);
    return elements;
}

// A map's part of the bytes: with other devices it may make less than its outputs.
static int64_t bytes_of_map(const Kernel *kernel) {
    const Stage *stage = kernel->stage;
    int64_t bytes = bytes_up_to(kernel, elements_read(kernel));
    if (!stage || stage->kind != STAGE_MAP) return bytes;
    double stored = stage->store_count, all = 0;
    for (int d = 0; d < stage->axis_count; d++)
        stored *= (double)stage->axes[d].extent;
    for (int i = 0; i < kernel->output_count; i++)
        all += (double)type_element_count(kernel->outputs[i].value->type);
    return stored < all ? (int64_t)((double)bytes * (stored / all)) : bytes;
}

// At most one chunk per result.
static int64_t at_most_results(const Kernel *kernel, int64_t grid) {
    int64_t results = type_element_count(kernel->outputs[0].value->type);
    return results < grid ? (results > 0 ? results : 1) : grid;
}

// A row is not cut.
static void limit_to_rows(Kernel *kernel) {
    if (!kernel->has_rows) return;
    int64_t rows = 1;
    for (int d = 0; d < kernel->row_rank; d++)
        rows *= kernel->row_dims[d];
    int64_t columns = kernel->stage->rows->columns; // of which blocks are not cut, either
    if (columns > 1) rows = (rows + columns - 1) / columns;
    kernel->grid = rows < kernel->grid ? (rows > 0 ? rows : 1) : kernel->grid;
    kernel->scratch_bytes = kernel->stage->rows->local_bytes;
}

void loop_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = bytes_of_map(kernel);
    kernel->flops = type_element_count(kernel->outputs[0].value->type);
    kernel->grid = grid_of_stage(kernel->stage, kernel->bytes);
    limit_to_rows(kernel);
}

void reduce_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = bytes_of_map(kernel);
    kernel->flops = 0;
    for (int i = 0; i < kernel->root->operand_count; i++)
        kernel->flops += type_element_count(op_operand_type(kernel->root, i));
    // What is made of numbers alone takes time, too.
    int64_t work = kernel->bytes > kernel->flops ? kernel->bytes : kernel->flops;
    kernel->grid = at_most_results(kernel, grid_of_stage(kernel->stage, work));
    limit_to_rows(kernel);
}

void window_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = type_element_count(op_result_type(kernel->root, 0));
    kernel->grid = grid_of_work(2 * kernel->bytes);
}

void select_scatter_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 4 * type_element_count(op_operand_type(kernel->root, 0));
    kernel->grid = grid_of_work(4 * kernel->bytes);
}

void update_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = 2 * (int64_t)type_bytes(op_operand_type(kernel->root, 1));
    kernel->flops = 0;
    kernel->grid = grid_of_work(kernel->bytes);
}

void contract_reference_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 2 * type_element_count(kernel->outputs[0].value->type);
    kernel->grid = at_most_results(kernel, grid_of_work(8 * kernel->bytes));
}

// ---- loops

// Does the list have a kernel that is worth several lanes in every round? Those of loops in it
// count for themselves.
static bool has_large_kernel(const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        const Step *step = list->steps.data[i];
        for (int b = 0; step->kind == STEP_BRANCH && b < step->branch_count; b++) {
            if (has_large_kernel(step->bodies[b])) return true;
        }
        if (step->kind != STEP_KERNEL) continue;
        const Kernel *kernel = step->kernel;
        bool is_plain = kernel->stage && kernel->stage->kind != STAGE_SPECIAL &&
                        kernel->stage->kind != STAGE_ATTENTION;
        if (kernel->grid >= (is_plain ? LARGE_IN_LOOP : 2)) return true;
    }
    return false;
}

static void to_one_chunk(StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        for (int b = 0; step->kind == STEP_BRANCH && b < step->branch_count; b++)
            to_one_chunk(step->bodies[b]);
        if (step->kind == STEP_KERNEL && step->kernel->grid > 1) step->kernel->grid = 1;
    }
}

void grids_of_loops(StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        int bodies = step->kind == STEP_WHILE    ? 2
                     : step->kind == STEP_BRANCH ? step->branch_count
                                                 : 0;
        for (int b = 0; b < bodies; b++)
            grids_of_loops(step->bodies[b]);
        if (step->kind != STEP_WHILE) continue;
        if (has_large_kernel(step->bodies[0]) || has_large_kernel(step->bodies[1])) continue;
        to_one_chunk(step->bodies[0]);
        to_one_chunk(step->bodies[1]);
    }
}
