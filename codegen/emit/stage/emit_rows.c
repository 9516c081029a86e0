// Emission of rows: one pass after the other over the elements of a row, which stays in the cache.
//
// A pass is one loop for all its folds, locals and stores. Long sums of floats are made in
// blocks with sums of their own, for accuracy; outputs that are larger than the caches go to
// memory around them, block by block.
#include "codegen/emit/ahead.h"
#include "codegen/emit/stage/stream.h"
#include "codegen/expr/fold.h"
#include "codegen/expr/needs.h"

#include <string.h>

typedef const IndexExpr *Index;

enum { SUM_BLOCK = 2048, TAIL_LANES = 16 };

typedef struct RowEmit {
    const Stage *stage;
    const RowPass *pass;
    Index row[MAX_RANK];      // of the stage's axes
    const Expr **results;     // by scalar: what passes found; NULL = not yet
    struct LateRow *late;     // the row before, if its last pass comes late; else NULL
    bool stores_late;         // the pass makes its stores as well
    LLVMValueRef **sums;      // [fold][accumulator] locals of the pass
    bool *in_blocks;          // [fold] the sum of the block is apart
    LLVMValueRef *block_sums; // [fold]
    bool streams, is_direct;  // is_direct: from registers
    Stream stream;
} RowEmit;

// A number that the last pass needs, and the local that holds it until then.
typedef struct LateNumber {
    const Expr *scalar;
    LLVMValueRef local;
} LateNumber;

// What is remembered of a row until its last pass.
typedef struct LateRow {
    LLVMValueRef axes[MAX_RANK]; // i64 on the stack; -1 = there is no row yet
    VEC(LateNumber) numbers;
    Index row[MAX_RANK]; // as the row knows it that is made now
    const Expr **results;
} LateRow;

static Substitution substitution_of(
    Emit *e, const RowEmit *r, const Index *row, const Expr *const *results) {
    Substitution s = substitution(e->exprs, r->stage->exprs);
    stage_set_axes(&s, r->stage, row);
    for (int i = 0; i < s.scalar_count; i++)
        s.scalars[i] = results[i];
    return s;
}

// What is known of the row.
static Substitution row_substitution(Emit *e, const RowEmit *r) {
    return substitution_of(e, r, r->row, r->results);
}

// What is known of the row whose stores the pass makes.
static Substitution stores_substitution(Emit *e, const RowEmit *r) {
    return r->stores_late ? substitution_of(e, r, r->late->row, r->late->results)
                          : row_substitution(e, r);
}

// The pass whose stores are made beside the folds and locals of r->pass.
static const RowPass *storing_pass(const RowEmit *r) {
    const Rows *rows = r->stage->rows;
    return r->stores_late ? &rows->passes[rows->pass_count - 1] : r->pass;
}

static void emit_store_list(
    Emit *e, Substitution *s, const Store *stores, const Scalar *values, int count) {
    for (int i = 0; i < count && !e->failed; i++)
        emit_stage_store(e, s, i, &stores[i], values[i]);
}

// ---- one element

static LLVMValueRef sum_of(const RowEmit *r, int fold, int k) {
    return r->in_blocks[fold] ? r->block_sums[fold] : r->sums[fold][k];
}

static void fold_element(Emit *e, RowEmit *r, int i, Substitution *s) {
    const Fold *fold = r->pass->folds[i].fold;
    Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
    for (int k = 0; k < fold->count; k++)
        sums[k] = emit_local_get(e, sum_of(r, i, k), fold->accumulators[k]->element);
    emit_fold_step(e, fold, s, sums, fold->in_lanes);
    for (int k = 0; k < fold->count && !e->failed; k++)
        emit_local_set(e, sum_of(r, i, k), sums[k]);
}

// What the stores of the pass store: its own, or the last pass's of the row before, whose
// neighbours were read ahead in their time.
static Scalar *stored_values(Emit *e, const RowEmit *r, Substitution *s) {
    const RowPass *from = storing_pass(r);
    Scalar *stored = ARENA_ARRAY(e->arena, Scalar, from->store_count);
    struct Ahead *ahead = e->state->ahead;
    if (r->stores_late) e->state->ahead = NULL;
    for (int i = 0; i < from->store_count; i++)
        stored[i] = emit_expr(e, expr_substitute(s, from->stores[i].value));
    e->state->ahead = ahead;
    return stored;
}

static void pass_element(Emit *e, RowEmit *r, const Index *index) {
    const RowPass *pass = r->pass;
    Substitution s = row_substitution(e, r), of_stores = stores_substitution(e, r);
    for (int k = 0; k < pass->axis_count; k++)
        s.variables[pass->axes[k].variable] = of_stores.variables[pass->axes[k].variable] =
            index[k];
    Scalar *kept = ARENA_ARRAY(e->arena, Scalar, pass->keep_count);
    for (int i = 0; i < pass->keep_count; i++)
        kept[i] = emit_expr(e, expr_substitute(&s, pass->keeps[i].value));
    Scalar *stored = stored_values(e, r, &of_stores);
    for (int i = 0; i < pass->fold_count && !e->failed; i++)
        fold_element(e, r, i, &s);
    for (int i = 0; i < pass->keep_count && !e->failed; i++) {
        Index at = expr_substitute_index(&s, pass->keeps[i].at);
        emit_private_store(
            e, kept[i].element, e->state->locals[pass->keeps[i].local], emit_index(e, at), kept[i]);
    }
    emit_store_list(e, &of_stores, storing_pass(r)->stores, stored, storing_pass(r)->store_count);
}

// ---- the innermost loop of a pass

// How the elements of a loop are made: in vectors; as one vector of which a part counts; one after
// the other.
typedef enum PlacesForm { PLACES_VECTORS, PLACES_TAIL, PLACES_SINGLE } PlacesForm;

static bool is_in_lanes(const RowEmit *r) {
    for (int i = 0; i < r->pass->fold_count; i++) {
        if (!r->pass->folds[i].fold->in_lanes) return false;
    }
    return true;
}

// [low, high) of the block.
static void emit_places(
    Emit *e, RowEmit *r, SpaceBlock *block, LLVMValueRef low, LLVMValueRef high, PlacesForm form) {
    bool in_lanes = form != PLACES_SINGLE && is_in_lanes(r);
    EmitLoop *loop = emit_loop_begin(e, low, high, 1, block->size, in_lanes);
    if (form == PLACES_TAIL) emit_make_tail(e, loop);
    Index index[MAX_RANK];
    space_block_index(e, block, loop->index, index);
    bool detours = r->streams && !r->is_direct;
    if (detours) stream_detour(e, &r->stream, LLVMBuildNSWSub(e->builder, loop->phi, low, ""));
    pass_element(e, r, index);
    if (detours) stream_detour(e, &r->stream, NULL);
    emit_loop_end(e, loop);
}

static void begin_block_sums(Emit *e, RowEmit *r) {
    for (int i = 0; i < r->pass->fold_count; i++) {
        const Fold *fold = r->pass->folds[i].fold;
        r->in_blocks[i] = fold->is_sum;
        if (!fold->is_sum) continue;
        ElementType element = fold->accumulators[0]->element;
        r->block_sums[i] = emit_local(e, element);
        emit_local_set(e, r->block_sums[i], emit_constant(e, element, -0.0));
    }
}

static void end_block_sums(Emit *e, RowEmit *r) {
    for (int i = 0; i < r->pass->fold_count && !e->failed; i++) {
        if (!r->in_blocks[i]) continue;
        ElementType element = r->pass->folds[i].fold->accumulators[0]->element;
        Scalar total = emit_local_get(e, r->sums[i][0], element);
        Scalar part = emit_local_get(e, r->block_sums[i], element);
        emit_local_set(e, r->sums[i][0], emit_arithmetic(e, OP_ADD, total, part));
        r->in_blocks[i] = false;
    }
}

// How many elements are made together: 0 = all. Streamed stores go through arrays of so many.
static int64_t block_elements(const RowEmit *r, int64_t size) {
    if (r->streams && !r->is_direct) return r->stream.block;
    bool has_sum = false;
    for (int i = 0; i < r->pass->fold_count; i++)
        has_sum = has_sum || r->pass->folds[i].fold->is_sum;
    return has_sum && size >= 2 * SUM_BLOCK ? SUM_BLOCK : 0;
}

// Where the pass's stores are at a place of the block.
static Substitution pass_substitution(Emit *e, RowEmit *r, SpaceBlock *block, Index place) {
    Index index[MAX_RANK];
    space_block_index(e, block, place, index);
    Substitution s = stores_substitution(e, r);
    for (int k = 0; k < r->pass->axis_count; k++)
        s.variables[r->pass->axes[k].variable] = index[k];
    return s;
}

static void stream_row(Emit *e, RowEmit *r, SpaceBlock *block, EmitLoop *blocks, LLVMValueRef end) {
    Substitution s = pass_substitution(e, r, block, blocks->index);
    stream_out(e, &r->stream, &s, LLVMBuildNSWSub(e->builder, end, blocks->phi, ""));
}

// Of fewer elements than a vector has, where it can be masked.
static PlacesForm tail_form(const Emit *e, const RowEmit *r) {
    return e->target->isa == ISA_AVX512 && is_in_lanes(r) ? PLACES_TAIL : PLACES_SINGLE;
}

// Of the elements before the first line of a row that is streamed. Late rows have some only in an
// array of the caller's that does not begin at a line.
static PlacesForm head_form(const Emit *e, const RowEmit *r, const Value *output) {
    if (r->stores_late) return PLACES_SINGLE;
    bool is_vector = element_bytes(output->type->element) * TAIL_LANES >= 64;
    return is_vector ? tail_form(e, r) : PLACES_VECTORS;
}

// [low, high) of the block: to the first whole line of the output, then with stores around the
// caches.
static void direct_places(
    Emit *e, RowEmit *r, SpaceBlock *block, LLVMValueRef low, LLVMValueRef high) {
    const Store *store = &storing_pass(r)->stores[0];
    Substitution s = pass_substitution(e, r, block, emit_variable(e, low, block->size));
    LLVMValueRef address = emit_store_address(e, &s, store);
    LLVMValueRef line = stream_line(e, store->output, address, low, high);
    emit_places(e, r, block, low, line, head_form(e, r, store->output));
    stream_direct(e, true);
    emit_places(e, r, block, line, high, PLACES_VECTORS);
    stream_direct(e, false);
}

// The last elements of a short row. With AVX2 they are made faster one by one.
static int64_t tail_of(const Emit *e, const RowEmit *r, int64_t size) {
    return tail_form(e, r) == PLACES_TAIL ? emit_tail_of(e, size, false) : 0;
}

static void pass_block(Emit *e, void *user, SpaceBlock *block) {
    RowEmit *r = user;
    int64_t width = block_elements(r, block->size);
    bool is_direct = r->streams && r->is_direct;
    if (width == 0 && is_direct) {
        direct_places(e, r, block, block->low, block->high);
        return;
    }
    if (width == 0) {
        int64_t rest = tail_of(e, r, block->size);
        LLVMValueRef tail = rest ? emit_i64_constant(e, block->size - rest) : block->high;
        emit_places(e, r, block, block->low, tail, PLACES_VECTORS);
        if (rest) emit_places(e, r, block, tail, block->high, PLACES_TAIL);
        return;
    }
    EmitLoop *blocks = emit_loop_begin(e, block->low, block->high, width, block->size, false);
    LLVMValueRef end = emit_block_end(e, blocks);
    begin_block_sums(e, r);
    if (is_direct)
        direct_places(e, r, block, blocks->phi, end);
    else
        emit_places(e, r, block, blocks->phi, end, PLACES_VECTORS);
    end_block_sums(e, r);
    if (r->streams && !is_direct && !e->failed) stream_row(e, r, block, blocks, end);
    emit_loop_end(e, blocks);
}

// ---- passes

static void begin_folds(Emit *e, RowEmit *r) {
    int count = r->pass->fold_count;
    r->sums = ARENA_ARRAY(e->arena, LLVMValueRef *, count);
    r->block_sums = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    r->in_blocks = ARENA_ARRAY(e->arena, bool, count);
    for (int i = 0; i < count && !e->failed; i++) {
        const Fold *fold = r->pass->folds[i].fold;
        Substitution s = row_substitution(e, r);
        Scalar *sums = ARENA_ARRAY(e->arena, Scalar, fold->count);
        emit_fold_start(e, fold, &s, sums);
        r->sums[i] = ARENA_ARRAY(e->arena, LLVMValueRef, fold->count);
        for (int k = 0; k < fold->count && !e->failed; k++) {
            r->sums[i][k] = emit_local(e, fold->accumulators[k]->element);
            emit_local_set(e, r->sums[i][k], sums[k]);
        }
    }
}

static void end_folds(Emit *e, RowEmit *r) {
    for (int i = 0; i < r->pass->fold_count && !e->failed; i++) {
        const RowFold *row = &r->pass->folds[i];
        Substitution s = row_substitution(e, r);
        Scalar *sums = ARENA_ARRAY(e->arena, Scalar, row->fold->count);
        Scalar *results = ARENA_ARRAY(e->arena, Scalar, row->fold->result_count);
        for (int k = 0; k < row->fold->count; k++)
            sums[k] = emit_local_get(e, r->sums[i][k], row->fold->accumulators[k]->element);
        emit_fold_results(e, row->fold, &s, sums, results);
        for (int k = 0; k < row->fold->result_count && !e->failed; k++)
            r->results[row->results[k]->id] = emit_known(e, results[k]);
    }
}

static void emit_pass(Emit *e, RowEmit *r, const RowPass *pass, bool streams) {
    r->pass = pass;
    r->streams = streams;
    const RowPass *from = storing_pass(r);
    r->is_direct = streams && (pass->fold_count == 0 || r->stores_late) &&
                   stream_is_direct(from->store_count, from->stores);
    begin_folds(e, r);
    if (e->failed) return;
    emit_scope_push(e, SCOPE_BRANCH); // nothing that reads locals leaves the pass
    space_emit_whole(e, pass->space, &(SpaceBody){.block = pass_block, .user = r});
    emit_scope_pop(e);
    end_folds(e, r);
}

// The pass whose stores are all that the kernel stores, if it pays to write around the caches;
// -1 = none.
static int streamed_pass(const Emit *e, const Stage *stage) {
    for (int p = 0; p < stage->rows->pass_count; p++) {
        const RowPass *pass = &stage->rows->passes[p];
        if (pass->store_count == e->kernel->output_count &&
            emit_streams(e, pass->space, pass->store_count, pass->stores))
            return p;
    }
    return -1;
}

// ---- a row whose last pass comes late

static void late_number(Emit *e, LateRow *late, const Expr *scalar) {
    LateNumber number = {scalar, emit_local(e, scalar->element)};
    emit_local_set(e, number.local, emit_constant(e, scalar->element, 0));
    vec_push(e->arena, &late->numbers, number);
}

static LateRow *late_begin(Emit *e, const Stage *stage) {
    const Rows *rows = stage->rows;
    LateRow *late = ARENA_NEW(e->arena, LateRow);
    for (int d = 0; d < stage->axis_count; d++) {
        late->axes[d] = emit_alloca(e, emit_i64(e), 1, 8);
        LLVMBuildStore(e->builder, emit_i64_constant(e, -1), late->axes[d]);
    }
    Needs needs = needs_create(e->arena, stage->exprs);
    const uint64_t *set = needs_of(&needs, rows->passes[rows->pass_count - 1].stores[0].value);
    for (int p = 0; p < rows->pass_count; p++) {
        for (int i = 0; i < rows->passes[p].fold_count; i++) {
            const RowFold *fold = &rows->passes[p].folds[i];
            for (int k = 0; k < fold->fold->result_count; k++) {
                if (needs_has(set, needs.variables + (int)fold->results[k]->id))
                    late_number(e, late, fold->results[k]);
            }
        }
    }
    return late;
}

// What is known here of the row before. The first row takes itself for it: what it stores is
// overwritten.
static void late_recall(Emit *e, RowEmit *r, bool may_be_first) {
    LateRow *late = r->late;
    int scalars = r->stage->exprs->scalar_count;
    late->results = (const Expr **)arena_alloc_array(e->arena, scalars + 1, sizeof(Expr *));
    for (int d = 0; d < r->stage->axis_count; d++) {
        LLVMValueRef at = LLVMBuildLoad2(e->builder, emit_i64(e), late->axes[d], "");
        if (may_be_first) {
            LLVMValueRef zero = emit_i64_constant(e, 0), own = emit_index(e, r->row[d]);
            LLVMValueRef is_first = LLVMBuildICmp(e->builder, LLVMIntSLT, at, zero, "");
            at = LLVMBuildSelect(e->builder, is_first, own, at, "");
        }
        late->row[d] = emit_variable(e, at, r->stage->axes[d].extent);
    }
    for (int64_t i = 0; i < late->numbers.count; i++) {
        const LateNumber *number = &late->numbers.data[i];
        Scalar x = emit_local_get(e, number->local, number->scalar->element);
        late->results[number->scalar->id] = emit_known(e, x);
    }
}

static void late_remember(Emit *e, RowEmit *r) {
    for (int d = 0; d < r->stage->axis_count; d++)
        LLVMBuildStore(e->builder, emit_index(e, r->row[d]), r->late->axes[d]);
    for (int64_t i = 0; i < r->late->numbers.count && !e->failed; i++) {
        const LateNumber *number = &r->late->numbers.data[i];
        emit_local_set(e, number->local, emit_expr(e, r->results[number->scalar->id]));
    }
}

// The last pass over the last row.
static void late_end(Emit *e, RowEmit *r) {
    const Rows *rows = r->stage->rows;
    LLVMValueRef at = LLVMBuildLoad2(e->builder, emit_i64(e), r->late->axes[0], "");
    EmitIf any = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSGE, at, emit_i64_constant(e, 0), ""));
    late_recall(e, r, false);
    memcpy(r->row, r->late->row, sizeof r->row);
    r->results = r->late->results;
    emit_pass(e, r, &rows->passes[rows->pass_count - 1], false); // one row may pass the caches
    emit_end_if(e, &any);
}

// ---- a row

static void row_element(Emit *e, void *user, const Index *index) {
    RowEmit *r = user;
    const Stage *stage = r->stage;
    const Rows *rows = stage->rows;
    int streamed = streamed_pass(e, stage);
    r->results =
        (const Expr **)arena_alloc_array(e->arena, stage->exprs->scalar_count + 1, sizeof(Expr *));
    for (int d = 0; d < stage->axis_count; d++)
        r->row[d] = index[d];
    if (r->late) late_recall(e, r, true);
    ahead_begin(e, stage->axis_count, index);
    for (int p = 0; p < rows->pass_count - (r->late != NULL) && !e->failed; p++) {
        ahead_next_pass(e);
        r->stores_late = p + 1 == rows->late;
        emit_pass(e, r, &rows->passes[p], p == streamed || (r->stores_late && streamed >= 0));
    }
    r->stores_late = false;
    ahead_end(e);
    if (e->failed) return;
    if (r->late) late_remember(e, r);
    Substitution s = row_substitution(e, r);
    Scalar *values = ARENA_ARRAY(e->arena, Scalar, stage->store_count);
    for (int i = 0; i < stage->store_count; i++)
        values[i] = emit_expr(e, expr_substitute(&s, stage->stores[i].value));
    emit_store_list(e, &s, stage->stores, values, stage->store_count);
}

bool rows_emit(Emit *e, const Stage *stage) {
    const Rows *rows = stage->rows;
    e->state->locals = ARENA_ARRAY(e->arena, LLVMValueRef, rows->local_count);
    for (int i = 0; i < rows->local_count; i++)
        e->state->locals[i] = emit_scratch(e, rows->locals[i].offset);
    if (rows->columns) {
        columns_emit(e, stage);
        return !e->failed;
    }
    RowEmit *r = ARENA_NEW(e->arena, RowEmit);
    r->stage = stage;
    int streamed = streamed_pass(e, stage);
    if (streamed >= 0) {
        const RowPass *pass = &rows->passes[streamed];
        stream_begin(e, &r->stream, pass->store_count, pass->stores);
    }
    if (rows->late) r->late = late_begin(e, stage);
    space_emit(e, stage->space, &(SpaceBody){.element = row_element, .user = r});
    if (r->late && !e->failed) late_end(e, r);
    return !e->failed;
}
