// late_stores: what the last pass over a row stores is made beside a pass over the next row.
//
// Results that go around the caches make their pass wait for memory, while a pass that computes
// exponentials waits for the arithmetic alone: one loop does both at once. A softmax,
//
//     parallel i0:8192
//       pass i2:4096        f0 = maximum of arg0[i0, i2]
//       pass i2:4096        l0[i2] = exponential(arg0[i0, i2] - f0); f1 = add of it
//       pass i2:4096        result0[i0, i2] = l0[i2] / f1
//
// divides and stores in its second pass, of the row before: it reads l0[i2] of that row right
// before it overwrites it. The first row has none before: there it stores numbers without meaning
// to the row itself, over which the right ones go later. So nothing else may lie there.
#include "codegen/plan/rows/late_stores.h"

#include "codegen/plan/streams.h"

enum {
    MANY_ROWS = 256, // one of them is stored twice by each lane
    LINE = 64
};

// ---- which pass

// Uncut loops over the same parts, the same one innermost.
static bool same_loops(const Space *x, const Space *y) {
    if (x->rank != y->rank || x->part_count != y->part_count || x->axis_count != y->axis_count)
        return false;
    if (x->inner < 0 || x->inner != y->inner || x->tile >= 0 || y->tile >= 0) return false;
    for (int p = 0; p < x->part_count; p++) {
        const SpacePart *a = &x->parts[p], *b = &y->parts[p];
        if (a->dim != b->dim || a->extent != b->extent || a->stride != b->stride) return false;
    }
    for (int a = 0; a < x->axis_count; a++) {
        if (x->axes[a].count != y->axes[a].count || x->axes[a].extent != y->axes[a].extent ||
            x->axes[a].cut_count != 1 || y->axes[a].cut_count != 1)
            return false;
    }
    return true;
}

static bool same_axes(const RowPass *x, const RowPass *y) {
    if (x->axis_count != y->axis_count) return false;
    for (int k = 0; k < x->axis_count; k++) {
        if (x->axes[k].variable != y->axes[k].variable) return false;
    }
    return true;
}

// A fold whose steps go one after the other would hold up the stores.
static bool is_in_lanes(const RowPass *pass) {
    for (int i = 0; i < pass->fold_count; i++) {
        if (!pass->folds[i].fold->in_lanes) return false;
    }
    return true;
}

// ---- what the last pass reads

typedef struct Reads {
    bool *locals;   // [local] is read
    bool has_folds; // which read more than the element
    PtrMap seen;
} Reads;

static void find_reads(Reads *reads, const Expr *x) {
    if (ptr_map_get(&reads->seen, x)) return;
    ptr_map_set(&reads->seen, x, reads);
    if (x->kind == EXPR_LOCAL) reads->locals[x->id] = true;
    if (x->kind == EXPR_FOLD) reads->has_folds = true;
    for (int i = 0; i < x->operand_count; i++)
        find_reads(reads, x->operands[i]);
}

static Reads reads_of_last(const Rows *rows, Arena *scratch) {
    Reads reads = {.seen = ptr_map(scratch)};
    reads.locals = ARENA_ARRAY(scratch, bool, rows->local_count);
    const RowPass *last = &rows->passes[rows->pass_count - 1];
    for (int i = 0; i < last->store_count; i++)
        find_reads(&reads, last->stores[i].value);
    return reads;
}

static int writer(const Rows *rows, int local) {
    for (int p = 0; p < rows->pass_count; p++) {
        const RowPass *pass = &rows->passes[p];
        for (int i = 0; i < pass->keep_count; i++) {
            if (pass->keeps[i].local == local) return p;
        }
    }
    return rows->pass_count;
}

// The last pass over the next row that still finds these locals as the row before left them: the
// first one that writes one of them, which reads each element before.
static int last_reader(const Rows *rows, const bool *is_read) {
    int last = rows->pass_count - 2;
    for (int i = 0; i < rows->local_count; i++) {
        int pass = is_read[i] ? writer(rows, i) : last;
        if (pass < last) last = pass;
    }
    return last;
}

// The costliest pass up to `most` beside which the last one's stores can be made; -1 = none.
static int pass_beside(const Rows *rows, int most) {
    const RowPass *last = &rows->passes[rows->pass_count - 1];
    int best = -1, most_cost = 0;
    for (int p = 0; p <= most; p++) {
        const RowPass *pass = &rows->passes[p];
        if (pass->store_count || !is_in_lanes(pass) || !same_axes(pass, last)) continue;
        if (!same_loops(pass->space, last->space)) continue;
        if (pass->cost <= most_cost) continue;
        most_cost = pass->cost;
        best = p;
    }
    return best;
}

// ---- locals that live on while the next row is made

static int64_t local_bytes(const RowLocal *local) {
    int64_t bytes = local->count * (int64_t)element_bytes(local->element);
    return (bytes + LINE - 1) / LINE * LINE;
}

// Is the local's memory written before this pass over the next row?
static bool is_lost(const Rows *rows, int local, int pass) {
    for (int i = 0; i < rows->local_count; i++) {
        bool shares = i != local && rows->locals[i].offset == rows->locals[local].offset;
        if (shares && writer(rows, i) < pass) return true;
    }
    return false;
}

// Bytes of all locals when this pass over the next row still finds those that are read; they get
// memory of their own for that if `moves`.
static int64_t keep_until(Rows *rows, int pass, const bool *is_read, bool moves) {
    int64_t bytes = rows->local_bytes;
    for (int i = 0; i < rows->local_count; i++) {
        if (!is_read[i] || !is_lost(rows, i, pass)) continue;
        if (moves) rows->locals[i].offset = bytes;
        bytes += local_bytes(&rows->locals[i]);
    }
    return bytes;
}

bool rows_store_late(Stage *stage, int64_t most_bytes, Arena *scratch) {
    Rows *rows = stage->rows;
    if (rows->columns || rows->pass_count < 2 || stage->store_count) return false;
    const RowPass *last = &rows->passes[rows->pass_count - 1];
    if (last->fold_count || last->keep_count || !last->store_count) return false;
    if (stage->exprs->runtimes.count > 1) return false; // indices may be made of a row's elements
    const Reads reads = reads_of_last(rows, scratch);
    if (reads.has_folds) return false;
    int pass = pass_beside(rows, last_reader(rows, reads.locals));
    if (pass < 0 || keep_until(rows, pass, reads.locals, false) > most_bytes) return false;
    rows->local_bytes = keep_until(rows, pass, reads.locals, true);
    rows->late = pass + 1;
    return true;
}

// ---- all kernels

// Do all rows begin at the same place of a line? The loop is cut there, which decides the order of
// sums: it may not depend on which row a lane begins with.
static bool begin_alike(const Stage *stage, const RowPass *pass, const Store *store) {
    int variables[MAX_RANK];
    for (int k = 0; k < pass->axis_count; k++)
        variables[k] = pass->axes[k].variable;
    return stream_begins_alike(stage, store, pass->axis_count, variables);
}

// Do the last pass's stores wait for memory, and can they stream from registers?
static bool waits_for_memory(const Plan *plan, const Kernel *kernel) {
    const Rows *rows = kernel->stage->rows;
    const RowPass *last = &rows->passes[rows->pass_count - 1];
    return last->store_count == kernel->output_count && last->store_count == 1 &&
           stream_is_direct(last->store_count, last->stores) &&
           begin_alike(kernel->stage, last, &last->stores[0]) &&
           stream_pays(
               kernel, plan->program->device_count, plan->target, last->space, last->store_count,
               last->stores);
}

void plan_late_stores(Plan *plan) {
    Arena *scratch = arena_child(plan->arena);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        Stage *stage = kernel->stage;
        if (!stage || stage->kind != STAGE_ROWS || stage->rows->columns) continue;
        if (kernel->block.rows || kernel->grid < MANY_ROWS || !waits_for_memory(plan, kernel))
            continue;
        if (!rows_store_late(stage, plan->target->l2_bytes / 2, scratch)) continue;
        kernel->scratch_bytes = stage->rows->local_bytes;
        if (kernel->scratch_bytes > (int64_t)plan->scratch_bytes)
            plan->scratch_bytes = (size_t)kernel->scratch_bytes;
    }
    arena_reset(scratch);
}
