// pack: copies blocks of a contraction's operands into the panels that the micro-kernel reads, converting to the accumulator's type on the way. The
// operand is an expression: whatever was fused into it (a transpose, a convert, a neighbour's shard, the window of a convolution) is computed here.
//
//     panel p of A:  k0: a[0][k0] a[1][k0] ... a[rows-1][k0]   k1: ...          (B alike with columns)
#include "codegen/contraction.h"

LLVMValueRef emit_number(Emit *e, int64_t number) {
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (unsigned long long)number, 1);
}

LLVMValueRef emit_minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntSLT, x, y, "");
    return LLVMBuildSelect(e->builder, less, x, y, "");
}

LLVMValueRef emit_remaining(Emit *e, const IndexExpr *first, int64_t extent, int64_t total) {
    if (first->high + extent <= total) return emit_number(e, extent);
    LLVMValueRef left = LLVMBuildSub(e->builder, emit_number(e, total), emit_index(e, first), "");
    return emit_minimum(e, left, emit_number(e, extent));
}

// What one call packs: side A (rows = m) or B (columns = n).
typedef struct Packing {
    Emit *e;
    const Contraction *c;
    bool is_lhs;
    int64_t width;                 // rows or columns of a panel
    const IndexExpr *const *batch;
    const IndexExpr *line_first;   // first row (column) of the current panel
    LLVMValueRef lines;            // of it that exist
    const IndexExpr *panel;        // number of the current panel
    PackRange k;
    LLVMValueRef to;               // scratch
} Packing;

static Scalar element(Packing *p, const IndexExpr *line, const IndexExpr *k) {
    const IndexSpace *lines = p->is_lhs ? &p->c->m : &p->c->n;
    const IndexExpr *line_index[MAX_RANK], *k_index[MAX_RANK];
    IndexBuilder *x = p->e->index;
    index_delinear(x, index_add(x, p->line_first, line), lines->rank, lines->dims, line_index);
    index_delinear(x, index_add(x, p->k.first, k), p->c->k.rank, p->c->k.dims, k_index);
    if (p->is_lhs) return contraction_lhs(p->e, p->c, p->batch, line_index, k_index);
    return contraction_rhs(p->e, p->c, p->batch, k_index, line_index);
}

static void put(Packing *p, const IndexExpr *line, const IndexExpr *k, Scalar value) {
    IndexBuilder *x = p->e->index;
    const IndexExpr *at = index_scale(x, p->panel, p->k.extent * p->width);
    at = index_add(x, at, index_scale(x, k, p->width));
    at = index_add(x, at, line);
    emit_private_store(p->e, p->c->accumulator, p->to, emit_index(p->e, at), value);
}

// lines x k, k inside where the operand's memory runs along k.
static void pack_panel(Packing *p, LLVMValueRef from, LLVMValueRef to, bool k_inside, bool is_zero) {
    Emit *e = p->e;
    EmitLoop *outer = k_inside ? emit_loop_begin(e, from, to, 1, p->width, false)
                               : emit_loop_begin(e, emit_number(e, 0), p->k.count, 1, p->k.extent, false);
    EmitLoop *inner = k_inside ? emit_loop_begin(e, emit_number(e, 0), p->k.count, 1, p->k.extent, true)
                               : emit_loop_begin(e, from, to, 1, p->width, true);
    const IndexExpr *line = k_inside ? outer->index : inner->index;
    const IndexExpr *k = k_inside ? inner->index : outer->index;
    put(p, line, k, is_zero ? emit_constant(e, p->c->accumulator, 0) : element(p, line, k));
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
}

static void pack(Packing *p, PackRange lines) {
    Emit *e = p->e;
    int64_t panels = (lines.extent + p->width - 1) / p->width;
    LLVMValueRef rounded = LLVMBuildAdd(e->builder, lines.count, emit_number(e, p->width - 1), "");
    LLVMValueRef stop = LLVMBuildSDiv(e->builder, rounded, emit_number(e, p->width), "");
    EmitLoop *loop = emit_loop_begin(e, emit_number(e, 0), stop, 1, panels, false);
    p->panel = loop->index;
    p->line_first = index_add(e->index, lines.first, index_scale(e->index, loop->index, p->width));
    LLVMValueRef done = LLVMBuildMul(e->builder, loop->phi, emit_number(e, p->width), "");
    LLVMValueRef left = LLVMBuildSub(e->builder, lines.count, done, "");
    LLVMValueRef width = emit_number(e, p->width);
    p->lines = emit_minimum(e, left, width);
    bool k_inside = contraction_k_is_contiguous(e, p->c, p->is_lhs);
    pack_panel(p, emit_number(e, 0), p->lines, k_inside, false);
    EmitIf incomplete = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, p->lines, width, ""));
    pack_panel(p, p->lines, width, false, true);
    emit_end_if(e, &incomplete);
    emit_loop_end(e, loop);
}

void pack_lhs(
    Emit *e, const Contraction *c, int64_t rows, const IndexExpr *const *b, PackRange m, PackRange k,
    int64_t scratch_offset) {
    Packing p = {.e = e, .c = c, .is_lhs = true, .width = rows, .batch = b, .k = k};
    p.to = emit_scratch(e, scratch_offset);
    pack(&p, m);
}

void pack_rhs(
    Emit *e, const Contraction *c, int64_t columns, const IndexExpr *const *b, PackRange n, PackRange k,
    int64_t scratch_offset) {
    Packing p = {.e = e, .c = c, .is_lhs = false, .width = columns, .batch = b, .k = k};
    p.to = emit_scratch(e, scratch_offset);
    pack(&p, n);
}
