// lower_scatter: in place on the outputs, which hold the operands already. Updates are applied one
// after the other in their order, so that equal indices give the same bits always. Lanes share the
// window, if it is large: each applies its part of every update. Else they share the operand's
// rows: each applies the updates of its own. Of windows of a few elements one lane does all.
#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"

typedef const IndexExpr *Index;

enum {
    MIN_PART = 64,   // elements of a window that are worth a lane
    MIN_WINDOW = 32, // those that are worth that every lane looks at all indices
    MIN_ROWS = 16
};

typedef struct Scatter {
    const Op *op;
    const ScatterDims *dims;
    int inputs;
    const Type *operand, *indices, *updates;
    int batch_rank, batch_dims[MAX_RANK]; // dimensions of the updates that count updates, in order
    int window_rank, window_dims[MAX_RANK]; // dimensions of the updates inside a window, in order
    int target_dim[MAX_RANK];               // operand's dimension of each window dimension
    int64_t extent[MAX_RANK];               // of a window in each dimension of the operand
    int shared;                             // window dimension that lanes share; -1 = none
    bool shares_batch;                      // else they share the first batching dimension
    int rows; // else a dimension of the operand, of which a window has one place; -1 = none
} Scatter;

static Scatter scatter_of(const Op *op) {
    Scatter s = {.op = op, .inputs = (op->operand_count - 1) / 2, .shared = -1, .rows = -1};
    s.dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    s.operand = op_operand_type(op, 0);
    s.indices = op_operand_type(op, s.inputs);
    s.updates = op_operand_type(op, s.inputs + 1);
    for (int d = 0; d < s.updates->rank; d++) {
        if (!ints_contain(s.dims->update_window_dims, d)) s.batch_dims[s.batch_rank++] = d;
    }
    for (int d = 0; d < s.operand->rank; d++) {
        s.extent[d] = 1;
        if (ints_contain(s.dims->inserted_window_dims, d) ||
            ints_contain(s.dims->input_batching_dims, d))
            continue;
        int u = (int)s.dims->update_window_dims.data[s.window_rank];
        s.extent[d] = s.updates->dims[u];
        s.target_dim[s.window_rank] = d;
        s.window_dims[s.window_rank++] = u;
    }
    int64_t largest = MIN_PART;
    for (int w = 0; w < s.window_rank; w++) {
        int64_t size = s.updates->dims[s.window_dims[w]];
        if (size <= largest && !(s.shared >= 0 && size == largest)) continue;
        largest = size;
        s.shared = w;
    }
    if (s.shared < 0 && s.dims->input_batching_dims.count) s.shares_batch = true;
    int64_t window = 1;
    for (int w = 0; w < s.window_rank; w++)
        window *= s.updates->dims[s.window_dims[w]];
    IntSpan dims = s.dims->scatter_dims_to_operand_dims;
    for (int k = 0; k < dims.count && s.rows < 0; k++) {
        bool has_rows = s.extent[dims.data[k]] == 1 && s.operand->dims[dims.data[k]] >= MIN_ROWS;
        if (has_rows && s.shared < 0 && !s.shares_batch && window >= MIN_WINDOW)
            s.rows = (int)dims.data[k];
    }
    return s;
}

void scatter_grid(Kernel *kernel, const Target *target) {
    (void)target;
    Scatter s = scatter_of(kernel->root);
    int64_t bytes = 3 * (int64_t)type_bytes(s.updates) * s.inputs, parts = 1;
    if (s.shared >= 0) parts = (s.updates->dims[s.window_dims[s.shared]] + MIN_PART - 1) / MIN_PART;
    if (s.shares_batch) parts = s.operand->dims[s.dims->input_batching_dims.data[0]];
    if (s.rows >= 0) parts = s.operand->dims[s.rows] / MIN_ROWS;
    int64_t grid = grid_of_bytes(bytes);
    kernel->bytes = bytes;
    kernel->flops = type_element_count(s.updates);
    kernel->grid = grid < parts ? grid : parts > 0 ? parts : 1;
    kernel->scratch_bytes = 0;
}

// [extent*begin/grid, extent*end/grid), rounded to multiples of `unit`.
static LLVMValueRef part_bound(Emit *e, LLVMValueRef chunk, int64_t extent, int64_t unit) {
    LLVMValueRef units = emit_i64_constant(e, (extent + unit - 1) / unit);
    LLVMValueRef grid = emit_i64_constant(e, e->kernel->grid);
    LLVMValueRef x =
        LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, chunk, units, ""), grid, "");
    LLVMValueRef both[2] = {
        LLVMBuildMul(e->builder, x, emit_i64_constant(e, unit), ""), emit_i64_constant(e, extent)};
    return emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
}

static int position_in(IntSpan span, int64_t number) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == number) return i;
    }
    return -1;
}

// Index of scatter_indices for the update: batch dimensions in order, without index_vector_dim.
static void indices_at(const Scatter *s, const Index *update, Index component, Index *at) {
    int next = 0;
    for (int d = 0; d < s->indices->rank; d++)
        at[d] = d == s->dims->index_vector_dim ? component : update[s->batch_dims[next++]];
}

// Where the window starts in each dimension of the operand, and whether it lies inside as a whole;
// of the rows that lanes share, in those from `low` to `high`.
static LLVMValueRef window_start(
    Emit *e, const Scatter *s, const Index *update, LLVMValueRef low, LLVMValueRef high,
    Index *start) {
    LLVMValueRef inside = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, 0);
    Index at[MAX_RANK] = {0};
    for (int d = 0; d < s->operand->rank; d++) {
        start[d] = index_constant(e->index, 0);
        int batch = position_in(s->dims->input_batching_dims, d);
        if (batch < 0) continue;
        indices_at(s, update, index_constant(e->index, 0), at);
        start[d] = at[s->dims->scatter_indices_batching_dims.data[batch]];
    }
    const Value *indices = op_operand(s->op, s->inputs);
    for (int k = 0; k < s->dims->scatter_dims_to_operand_dims.count; k++) {
        int64_t d = s->dims->scatter_dims_to_operand_dims.data[k],
                last = s->operand->dims[d] - s->extent[d];
        indices_at(s, update, index_constant(e->index, k), at);
        start[d] = emit_runtime_number(e, indices, at, 0, last);
        Scalar x = emit_element(e, indices, at);
        if (e->failed) return inside;
        bool is_signed = element_class(x.element) == CLASS_SINT;
        LLVMValueRef number = is_signed ? LLVMBuildSExt(e->builder, x.value, emit_i64(e), "")
                                        : LLVMBuildZExt(e->builder, x.value, emit_i64(e), "");
        bool is_row = d == s->rows;
        LLVMValueRef least = is_row ? low : emit_i64_constant(e, 0),
                     limit = is_row ? high : emit_i64_constant(e, last < 0 ? 0 : last + 1);
        LLVMValueRef test = LLVMBuildAnd(
            e->builder, LLVMBuildICmp(e->builder, LLVMIntSGE, number, least, ""),
            LLVMBuildICmp(e->builder, LLVMIntSLT, number, limit, ""), "");
        inside = LLVMBuildAnd(e->builder, inside, test, "");
    }
    return inside;
}

static void combine_element(Emit *e, const Scatter *s, const Index *target, const Index *update) {
    Scalar *arguments = ARENA_ARRAY(e->arena, Scalar, 2 * s->inputs);
    Scalar *results = ARENA_ARRAY(e->arena, Scalar, s->inputs);
    LLVMValueRef *addresses = ARENA_ARRAY(e->arena, LLVMValueRef, s->inputs);
    const Region *body = s->op->regions[0];
    for (int i = 0; i < s->inputs; i++) {
        const Value *output = e->kernel->outputs[i].value;
        Scalar x = emit_element(e, op_operand(s->op, s->inputs + 1 + i), update);
        if (e->failed) return;
        addresses[i] = emit_address(e, output, target);
        arguments[i] =
            emit_convert(e, emit_load(e, output, addresses[i]), body->args[i]->type->element);
        arguments[s->inputs + i] = emit_convert(e, x, body->args[s->inputs + i]->type->element);
    }
    if (!emit_scalar_region(e, body, arguments, results)) return;
    for (int i = 0; i < s->inputs; i++) {
        const Value *output = e->kernel->outputs[i].value;
        emit_store(e, output, addresses[i], emit_convert(e, results[i], output->type->element));
    }
}

bool scatter_emit(Emit *e) {
    Scatter s = scatter_of(e->kernel->root);
    if (e->kernel->output_count != s.inputs) {
        diag_unsupported(
            e->diags, s.op->loc, "'%.*s' with an unused result is not supported in native code",
            SV_ARG(s.op->name));
        return false;
    }
    LLVMValueRef zero = emit_i64_constant(e, 0), low = zero, high = zero;
    int batching = -1; // batch dimension that lanes share
    if (s.shared >= 0) {
        int64_t extent = s.updates->dims[s.window_dims[s.shared]];
        low = part_bound(e, e->begin, extent, 16);
        high = part_bound(e, e->end, extent, 16);
    } else if (s.shares_batch) {
        int64_t d = s.dims->scatter_indices_batching_dims.data[0];
        batching = (int)d - (s.dims->index_vector_dim < d ? 1 : 0);
        int64_t extent = s.updates->dims[s.batch_dims[batching]];
        low = part_bound(e, e->begin, extent, 1);
        high = part_bound(e, e->end, extent, 1);
    } else if (s.rows >= 0) {
        low = part_bound(e, e->begin, s.operand->dims[s.rows], 1);
        high = part_bound(e, e->end, s.operand->dims[s.rows], 1);
    }
    bool is_alone = s.shared < 0 && batching < 0 && s.rows < 0;
    EmitLoop *lane = is_alone ? emit_chunk_loop(e) : NULL; // the one chunk
    Index update[MAX_RANK] = {0}, start[MAX_RANK], target[MAX_RANK];
    EmitLoop *loops[MAX_RANK], *window_loops[MAX_RANK];
    for (int b = 0; b < s.batch_rank; b++) {
        int64_t extent = s.updates->dims[s.batch_dims[b]];
        LLVMValueRef first = b == batching ? low : zero,
                     stop = b == batching ? high : emit_i64_constant(e, extent);
        loops[b] = emit_loop_begin(e, first, stop, 1, extent, false);
        update[s.batch_dims[b]] = loops[b]->index;
    }
    EmitIf inside = emit_if(e, window_start(e, &s, update, low, high, start));
    for (int d = 0; d < s.operand->rank; d++)
        target[d] = start[d];
    for (int w = 0; w < s.window_rank; w++) {
        int64_t extent = s.updates->dims[s.window_dims[w]];
        bool is_shared = w == s.shared;
        window_loops[w] = emit_loop_begin(
            e, is_shared ? low : zero, is_shared ? high : emit_i64_constant(e, extent), 1, extent,
            w + 1 == s.window_rank);
        int d = s.target_dim[w];
        update[s.window_dims[w]] = window_loops[w]->index;
        target[d] = index_add(e->index, start[d], window_loops[w]->index);
    }
    combine_element(e, &s, target, update);
    for (int w = s.window_rank - 1; w >= 0; w--)
        emit_loop_end(e, window_loops[w]);
    emit_end_if(e, &inside);
    for (int b = s.batch_rank - 1; b >= 0; b--)
        emit_loop_end(e, loops[b]);
    if (lane) emit_loop_end(e, lane);
    return !e->failed;
}
