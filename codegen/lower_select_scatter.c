// lower_select_scatter: every element of the result asks the windows that contain it whether they selected it. Windows are asked in the
// order of the source, so sums are made in the order in which the op is defined; elements are independent of each other.
#include "codegen/lower.h"
#include "codegen/window.h"

typedef const IndexExpr *Index;

enum {
    MAX_UNROLLED_SELECT = 16,
    MAX_UNROLLED_PAIRS = 9
}; // positions of a window; all pairs of them

typedef struct Select {
    const Op *op;
    Window window;
    const Type *source;
} Select;

// Keeps the selected element of a window while its positions are passed.
typedef struct Selection {
    LLVMValueRef has_one, element, is_mine; // locals
    ElementType type;
} Selection;

static LLVMValueRef load_flag(Emit *e, LLVMValueRef local) {
    return LLVMBuildLoad2(e->builder, LLVMInt1TypeInContext(e->context), local, "");
}

// Position `w` of the window of source index o: is it selected over what was selected before? It is, when nothing was, or when select(old, new) does
// not hold.
static void consider(
    Emit *e, const Select *s, const Selection *selection, const Index *o, const Index *w,
    const Index *mine) {
    Index at[MAX_RANK];
    LLVMValueRef condition;
    if (!window_place(e, &s->window, o, w, at, &condition)) return;
    EmitIf branch = {0};
    if (condition) branch = emit_if(e, condition);
    Scalar x = emit_element(e, op_operand(s->op, 0), at), keeps;
    if (e->failed) return;
    Scalar pair[2] = {emit_local_get(e, selection->element, selection->type), x};
    LLVMValueRef has_one = load_flag(e, selection->has_one);
    if (!emit_scalar_region(e, s->op->regions[0], pair, &keeps)) return;
    LLVMValueRef stays = LLVMBuildAnd(e->builder, has_one, keeps.value, "");
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    LLVMValueRef is_here =
        LLVMConstInt(i1, 1, 0); // is this position the one that the element takes?
    for (int d = 0; d < s->window.rank; d++) {
        LLVMValueRef test = emit_index_in_range(e, index_sub(e->index, w[d], mine[d]), 0, 1);
        is_here = LLVMBuildAnd(e->builder, is_here, test, "");
    }
    Scalar chosen = {
        .element = x.element,
        .value = LLVMBuildSelect(e->builder, stays, pair[0].value, x.value, "")};
    if (x.imag) chosen.imag = LLVMBuildSelect(e->builder, stays, pair[0].imag, x.imag, "");
    emit_local_set(e, selection->element, chosen);
    LLVMValueRef was_mine = load_flag(e, selection->is_mine);
    LLVMBuildStore(
        e->builder, LLVMBuildSelect(e->builder, stays, was_mine, is_here, ""), selection->is_mine);
    LLVMBuildStore(e->builder, LLVMConstInt(i1, 1, 0), selection->has_one);
    if (condition) emit_end_if(e, &branch);
}

static void consider_all(
    Emit *e, const Select *s, const Selection *selection, const Index *o, const Index *mine,
    Index *w, int d) {
    if (e->failed) return;
    if (d == s->window.rank) {
        consider(e, s, selection, o, w, mine);
        return;
    }
    if (s->window.count > MAX_UNROLLED_SELECT) {
        EmitLoop *loop = emit_loop_constant(e, s->window.size[d], false);
        w[d] = loop->index;
        consider_all(e, s, selection, o, mine, w, d + 1);
        emit_loop_end(e, loop);
        return;
    }
    for (int64_t i = 0; i < s->window.size[d]; i++) {
        w[d] = index_constant(e->index, i);
        consider_all(e, s, selection, o, mine, w, d + 1);
    }
}

// The window in which the element has position `mine`: o = (index + low - mine * dilation) / stride, where that is a source index.
static bool window_of_position(
    Emit *e, const Select *s, const Index *index, const Index *mine, Index *o,
    LLVMValueRef *condition) {
    const Window *window = &s->window;
    *condition = NULL;
    for (int d = 0; d < window->rank; d++) {
        Index x = index_add_constant(
            e->index, index_scale(e->index, index[d], window->base_dilation[d]), window->low[d]);
        x = index_sub(e->index, x, index_scale(e->index, mine[d], window->dilation[d]));
        Index tests[2] = {
            index_mod(e->index, x, window->stride[d]), index_div(e->index, x, window->stride[d])};
        int64_t limits[2] = {1, s->source->dims[d]};
        o[d] = tests[1];
        for (int t = 0; t < 2; t++) {
            IndexTruth truth = index_in_range(tests[t], 0, limits[t]);
            if (truth == INDEX_NEVER) return false;
            if (truth == INDEX_ALWAYS) continue;
            LLVMValueRef test = emit_index_in_range(e, tests[t], 0, limits[t]);
            *condition = *condition ? LLVMBuildAnd(e->builder, *condition, test, "") : test;
        }
    }
    return true;
}

static void select_start(Emit *e, const Fold *fold, const Index *index, Scalar *accumulators) {
    const Select *s = fold->user;
    Index none[MAX_RANK] = {NULL};
    (void)index;
    accumulators[0] = emit_element(e, op_operand(s->op, 2), none);
}

// One window that contains the element. Steps go through the positions backwards, so through the windows forwards.
static void select_step(
    Emit *e, const Fold *fold, const Index *index, const Index *at, Scalar *accumulators,
    bool reassociate) {
    const Select *s = fold->user;
    (void)reassociate;
    Index mine[MAX_RANK], o[MAX_RANK], w[MAX_RANK];
    LLVMValueRef condition;
    for (int d = 0; d < s->window.rank; d++)
        mine[d] = index_sub(e->index, index_constant(e->index, s->window.size[d] - 1), at[d]);
    if (!window_of_position(e, s, index, mine, o, &condition)) return;
    EmitIf branch = {0};
    if (condition) branch = emit_if(e, condition);
    ElementType type = op_operand_type(s->op, 0)->element;
    Selection selection = {
        .has_one = emit_local(e, ELEMENT_I1), .is_mine = emit_local(e, ELEMENT_I1), .type = type};
    selection.element = emit_local(e, type);
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0);
    LLVMBuildStore(e->builder, no, selection.has_one);
    LLVMBuildStore(e->builder, no, selection.is_mine);
    emit_local_set(e, selection.element, emit_constant(e, type, 0));
    consider_all(e, s, &selection, o, mine, w, 0);
    if (e->failed) return;
    EmitIf taken = emit_if(e, load_flag(e, selection.is_mine));
    Scalar pair[2] = {accumulators[0], emit_element(e, op_operand(s->op, 1), o)},
           sum = accumulators[0];
    if (!e->failed) emit_scalar_region(e, s->op->regions[1], pair, &sum);
    emit_end_if(e, &taken);
    if (e->failed) return;
    sum = emit_phi(e, &taken, sum, accumulators[0]);
    if (condition) emit_end_if(e, &branch);
    accumulators[0] = condition ? emit_phi(e, &branch, sum, accumulators[0]) : sum;
}

static void select_finish(Emit *e, const Fold *fold, const Scalar *accumulators, Scalar *results) {
    (void)e;
    (void)fold;
    results[0] = accumulators[0];
}

static void select_element(Emit *e, void *user, const Index *index) {
    const Fold *fold = user;
    const Select *s = fold->user;
    Scalar result;
    if (!fold_element(e, fold, index, &result)) return;
    emit_bind(e, op_result(s->op, 0), &result);
    store_outputs_of(e, op_result(s->op, 0), index);
    emit_bind(e, op_result(s->op, 0), NULL);
}

void select_scatter_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 4 * type_element_count(op_operand_type(kernel->root, 0));
    kernel->grid = grid_of_bytes(4 * kernel->bytes);
    kernel->scratch_bytes = 0;
}

bool select_scatter_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    Select *s = ARENA_NEW(e->arena, Select);
    s->op = op;
    s->window = window_of(e, op);
    s->source = op_operand_type(op, 1);
    Fold *fold = ARENA_NEW(e->arena, Fold);
    *fold = (Fold){
        .user = s, .start = select_start, .step = select_step, .finish = select_finish, .count = 1};
    fold->accumulator[0] = type->element;
    fold->loop_count = s->window.rank;
    for (int d = 0; d < s->window.rank; d++)
        fold->extent[d] = s->window.size[d];
    fold->unroll = s->window.count <= MAX_UNROLLED_PAIRS;
    Space *space = ARENA_NEW(e->arena, Space);
    if (!space_plan(e, space, type->rank, type->dims, select_element, fold)) return false;
    space_emit(e, space);
    return !e->failed;
}
