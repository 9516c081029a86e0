// pack: copies blocks of a contraction's operands into the panels that the micro-kernel reads, converting to the accumulator's type on the way. The
// operand is an expression: whatever was fused into it (a transpose, a convert, a neighbour's shard, the window of a convolution) is computed here.
//
//     panel p of A:  k0: a[0][k0] a[1][k0] ... a[rows-1][k0]   k1: ...          (B alike with columns)
#include "codegen/contraction.h"
#include "codegen/tile_stage.h"

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

// ---- through registers
//
// Where the operand's memory runs along k, lines are first read along it into a small array, STAGE k's at a time, and then transposed in squares of one
// register's lanes (codegen/tile_stage.c). The last lanes of a square's stores may reach beyond the panel's width: into what is written after them.

enum { STAGE = 128 };

static int square_side(const Packing *p) {
    int side = contract_lanes(p->c, p->e->target);
    bool fits = side >= 4 && side <= MAX_SQUARE && (p->width <= side || p->width % side == 0);
    return fits ? side : 0;
}

// Elements that stores may reach beyond the panels.
int64_t pack_slack(int lanes, int64_t width) { return (int64_t)lanes * (width + 1); }

static LLVMValueRef element_address(Packing *p, LLVMValueRef array, LLVMValueRef at) {
    LLVMTypeRef type = emit_register_type(p->e, p->c->accumulator);
    return LLVMBuildInBoundsGEP2(p->e->builder, type, array, &at, 1, "");
}

static LLVMValueRef add(Packing *p, LLVMValueRef x, LLVMValueRef y) { return LLVMBuildNSWAdd(p->e->builder, x, y, ""); }

// One square: rows of the array to k's of the panel.
static void transpose_square(Packing *p, LLVMValueRef array, int side, LLVMValueRef k_in_stage, LLVMValueRef to) {
    Emit *e = p->e;
    LLVMTypeRef type = emit_register_type(e, p->c->accumulator);
    unsigned alignment = (unsigned)element_bytes(p->c->accumulator);
    LLVMValueRef lines[MAX_SQUARE];
    for (int i = 0; i < side; i++) {
        LLVMValueRef at = add(p, k_in_stage, emit_number(e, (int64_t)i * STAGE));
        lines[i] = LLVMBuildLoad2(
            e->builder, LLVMVectorType(type, (unsigned)side), element_address(p, array, at), "");
        LLVMSetAlignment(lines[i], alignment);
    }
    emit_transpose_square(e, lines, side);
    for (int k = 0; k < side; k++) {
        LLVMValueRef at = add(p, to, emit_number(e, k * p->width));
        LLVMSetAlignment(LLVMBuildStore(e->builder, lines[k], element_address(p, p->to, at)), alignment);
    }
}

static void pack_squares(Packing *p, int side) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    LLVMTypeRef type = emit_register_type(e, p->c->accumulator);
    LLVMValueRef array = emit_alloca(e, type, (int64_t)side * STAGE, 64), zero = emit_number(e, 0);
    EmitLoop *group = emit_loop_constant(e, (p->width + side - 1) / side, false);
    EmitLoop *stage = emit_loop_begin(e, zero, p->k.count, STAGE, p->k.extent, false);
    LLVMValueRef done = LLVMBuildNSWMul(e->builder, group->phi, emit_number(e, side), "");
    LLVMValueRef rows = emit_minimum(e, LLVMBuildNSWSub(e->builder, p->lines, done, ""), emit_number(e, side));
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, p->k.count, stage->phi, "");
    LLVMValueRef count = emit_minimum(e, left, emit_number(e, STAGE));
    EmitLoop *row = emit_loop_begin(e, zero, rows, 1, side, false);
    EmitLoop *k = emit_loop_begin(e, zero, count, 1, STAGE, true);
    const IndexExpr *line = index_add(x, index_scale(x, group->index, side), row->index);
    Scalar value = element(p, line, index_add(x, stage->index, k->index));
    const IndexExpr *at = index_add(x, index_scale(x, row->index, STAGE), k->index);
    emit_private_store(e, p->c->accumulator, array, emit_index(e, at), value);
    emit_loop_end(e, k);
    emit_loop_end(e, row);
    EmitLoop *square = emit_loop_begin(e, zero, count, side, STAGE, false);
    const IndexExpr *to = index_scale(x, p->panel, p->k.extent * p->width);
    to = index_add(x, to, index_scale(x, index_add(x, stage->index, square->index), p->width));
    to = index_add(x, to, index_scale(x, group->index, side));
    transpose_square(p, array, side, square->phi, emit_index(e, to));
    emit_loop_end(e, square);
    emit_loop_end(e, stage);
    emit_loop_end(e, group);
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
    int side = k_inside ? square_side(p) : 0;
    if (side > 0) {
        pack_squares(p, side);
    } else {
        pack_panel(p, emit_number(e, 0), p->lines, k_inside, false);
    }
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
