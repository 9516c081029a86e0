// pack: copies blocks of a contraction's operands into the panels that the micro-kernel
// reads, converting to the accumulator's type on the way. The operand is an expression:
// whatever was fused into it (a transpose, a convert, a neighbour's shard, the window of a
// convolution) is computed here.
//
//     vectors (B alike, with columns):
//                  panel p of A:  k0: a[0][k0] a[1][k0] ... a[rows-1][k0]   k1: ...
//     pair dots (B alike):
//                  panel p of A:  k0: a[0][k0] a[0][k0+1]  a[1][k0] a[1][k0+1] ...   k0+2: ...
//     tile registers, 16-bit elements:
//                  panel p of A:  k0: a[0][k0 .. k0+31] a[1][k0 .. k0+31] ...   k0+32: ...
//                  panel p of B:  k0: b[k0][0] b[k0+1][0]  b[k0][1] b[k0+1][1] ...   k0+2: ...
//
// A word is what a register moves as one: the element, or where the CPU multiplies groups of
// k's, 4 bytes of neighbouring ones.
#include "codegen/contract/pack/packing.h"
#include "codegen/emit/tile_stage.h"

// Number of the element (line, group * form.group + rest) in the panels.
static const IndexExpr *place(
    Packing *p, const IndexExpr *line, const IndexExpr *group, const IndexExpr *rest) {
    IndexBuilder *x = p->e->index;
    const IndexExpr *at = index_scale(x, p->panel, p->k_extent * p->form.width);
    at = index_add(x, at, index_scale(x, group, p->form.width * p->form.group));
    return index_add(x, index_add(x, at, index_scale(x, line, p->form.group)), rest);
}

static void put(
    Packing *p, const IndexExpr *line, const IndexExpr *group, const IndexExpr *rest,
    Scalar value) {
    LLVMValueRef at = emit_index(p->e, place(p, line, group, rest));
    emit_private_store(p->e, p->form.element, p->to, at, value);
}

static LLVMValueRef whole_groups(Packing *p) {
    return LLVMBuildSDiv(p->e->builder, p->whole, emit_number(p->e, p->form.group), "");
}

static EmitLoop *groups_begin(Packing *p) {
    return emit_loop_begin(
        p->e, emit_number(p->e, 0), whole_groups(p), 1, p->k_extent / p->form.group,
        p->form.group == 1);
}

static EmitLoop *lines_begin(Packing *p, bool vectorize) {
    return emit_loop_begin(p->e, emit_number(p->e, 0), p->lines, 1, p->form.width, vectorize);
}

static void put_group(Packing *p, const IndexExpr *line, const IndexExpr *group) {
    IndexBuilder *x = p->e->index;
    bool single = p->form.group == 1;
    EmitLoop *in_group = single ? NULL : emit_loop_constant(p->e, p->form.group, true);
    const IndexExpr *rest = single ? index_constant(x, 0) : in_group->index;
    put(p, line, group, rest,
        packing_element(p, line, index_add(x, index_scale(x, group, p->form.group), rest)));
    if (in_group) emit_loop_end(p->e, in_group);
}

// Of panels of words [k][line].
static void put_words(Packing *p, const IndexExpr *line, const IndexExpr *group) {
    IndexBuilder *x = p->e->index;
    const IndexExpr *at = index_scale(x, p->panel, p->k_extent / p->per_word * p->form.width);
    at = index_add(x, at, index_add(x, index_scale(x, group, p->form.width), line));
    packing_put_word(p, p->to, at, packing_word(p, line, group));
}

static bool has_words(const Packing *p) { return p->form.group == p->per_word && p->per_word > 1; }

static void put_line(Packing *p, const IndexExpr *line, const IndexExpr *group) {
    if (has_words(p))
        put_words(p, line, group);
    else
        put_group(p, line, group);
}

// k's that are packed for one panel before the next panel's.
enum { FEW_GROUPS = 8, FEW_OF_IMAGES = 16 };

// What the panel has some k's later.
static void prefetch_groups(Packing *p, const IndexExpr *group) {
    IndexBuilder *x = p->e->index;
    const IndexExpr *k = index_add(x, p->k.first, index_scale(x, group, p->form.group));
    for (int64_t i = 0; i < p->form.group; i++)
        contraction_prefetch(
            p->e, p->c, p->is_lhs, p->batch, p->line_first, k, false,
            FEW_GROUPS * p->form.group + i, p->form.width);
}

// Element by element from memory that runs along k.
static void pack_along_k(Packing *p) {
    EmitLoop *panel = packing_panels_begin(p), *line = lines_begin(p, false),
             *group = groups_begin(p);
    put_group(p, line->index, group->index);
    emit_loop_end(p->e, group);
    emit_loop_end(p->e, line);
    emit_loop_end(p->e, panel);
}

static void put_lines(Packing *p, const IndexExpr *group) {
    prefetch_groups(p, group);
    EmitLoop *line = lines_begin(p, true);
    put_line(p, line->index, group);
    emit_loop_end(p->e, line);
}

// May the lines of a panel lie in two runs of memory? A run goes along the last dimension.
static bool lines_are_torn(Packing *p) {
    const IndexSpace *lines = packing_lines(p);
    if (p->c->conv || lines->rank < 2) return false;
    int64_t run = lines->dims[lines->rank - 1];
    if (run < p->form.width || run % p->form.width == 0) return false;
    int line = expr_new_variable(p->e->exprs, false), k = expr_new_variable(p->e->exprs, false);
    const Expr *x = contraction_expr(
        p->e, p->c, p->is_lhs, p->batch, index_variable(p->e->index, line, lines->size),
        index_variable(p->e->index, k, p->c->k.size));
    StoredElements loads = {.count = 0};
    stored_elements_find(&loads, x);
    int64_t stride;
    for (int i = 0; i < loads.count; i++)
        if (!index_is_affine_in(loads.list[i].at, line, &stride)) return true;
    return false;
}

// The lines to the end of the first one's run, and those behind it, if there are any: what does not
// depend on the line is made before their loop, of a run that exists.
static void put_runs(Packing *p, const IndexExpr *group) {
    Emit *e = p->e;
    prefetch_groups(p, group);
    IndexBuilder *x = e->index;
    LLVMBuilderRef b = e->builder;
    const IndexSpace *lines = packing_lines(p);
    int64_t length = lines->dims[lines->rank - 1];
    LLVMValueRef first = emit_index(e, index_mod(x, p->line_first, length));
    LLVMValueRef left = LLVMBuildNSWSub(b, emit_number(e, length), first, "");
    left = emit_minimum(e, left, p->lines);
    LLVMValueRef are_torn = LLVMBuildICmp(b, LLVMIntSLT, left, p->lines, "");
    LLVMValueRef runs = emit_choose(e, are_torn, emit_number(e, 2), emit_number(e, 1));
    EmitLoop *run = emit_loop_begin(e, emit_number(e, 0), runs, 1, 2, false);
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, run->phi, emit_number(e, 0), "");
    LLVMValueRef begin = emit_choose(e, is_first, emit_number(e, 0), left),
                 end = emit_choose(e, is_first, left, p->lines),
                 in_run = emit_choose(e, is_first, first, emit_number(e, 0));
    const IndexExpr *line = index_add(x, p->line_first, emit_variable(e, begin, p->form.width));
    index_delinear(x, line, lines->rank, lines->dims, p->run);
    for (int d = 0; d + 1 < lines->rank; d++)
        p->run[d] = emit_variable(e, emit_index(e, p->run[d]), lines->dims[d]);
    LLVMValueRef shift = LLVMBuildNSWSub(b, begin, in_run, "");
    shift = LLVMBuildNSWAdd(b, shift, emit_number(e, length), ""); // variables are not negative
    p->run_shift = index_add_constant(x, emit_variable(e, shift, length + p->form.width), -length);
    LLVMValueRef stop = LLVMBuildNSWAdd(b, in_run, LLVMBuildNSWSub(b, end, begin, ""), "");
    EmitLoop *at = emit_loop_begin(e, in_run, stop, 1, length, true);
    at->lanes = contract_lanes(p->c, e->target);
    at->is_tail = p->form.width <= at->lanes;
    put_line(p, index_add(x, at->index, p->run_shift), group);
    emit_loop_end(e, at);
    p->run_shift = NULL;
    emit_loop_end(e, run);
}

// Lines that are neighbours in the images: they exist all together, or none does.
static void put_images(Packing *p, const IndexExpr *k) {
    Emit *e = p->e;
    const Contraction *outer = p->c;
    Contraction inside = *outer;
    inside.is_inside = true;
    const IndexExpr *at = index_add(e->index, p->k.first, k), *zero = index_constant(e->index, 0);
    EmitIf exists = emit_if(e, contraction_inside(e, p->c, p->batch, p->line_first, at));
    p->c = &inside;
    EmitLoop *line = lines_begin(p, true);
    put(p, line->index, k, zero, packing_element(p, line->index, k));
    emit_loop_end(e, line);
    p->c = outer;
    emit_else(e, &exists);
    line = lines_begin(p, true);
    put(p, line->index, k, zero, emit_constant(e, p->form.element, 0));
    emit_loop_end(e, line);
    emit_end_if(e, &exists);
}

// From memory that runs along lines: a few k's at a time, so that what the neighbouring panels read
// is near, and a panel is written in runs that are longer than its one k. Panels often lie a
// multiple of the caches' period apart, and one k of each would share a few of their places.
static void pack_along_lines(
    Packing *p, int64_t few_groups, void (*put_k)(Packing *p, const IndexExpr *group)) {
    Emit *e = p->e;
    int64_t extent = p->k_extent / p->form.group;
    EmitLoop *few =
        emit_loop_begin(e, emit_number(e, 0), whole_groups(p), few_groups, extent, false);
    EmitLoop *panel = packing_panels_begin(p);
    EmitLoop *group = emit_loop_begin(e, few->phi, emit_block_end(e, few), 1, extent, false);
    put_k(p, group->index);
    emit_loop_end(e, group);
    emit_loop_end(e, panel);
    emit_loop_end(e, few);
}

static bool are_images(const Packing *p) {
    const Contraction *c = p->c;
    return p->is_lhs && c->conv && c->m_image > 0 && p->form.group == 1 &&
           c->m.dims[c->m_image] % p->form.width == 0;
}

// Zeros behind the lines that exist.
static void fill_lines(Packing *p) {
    Emit *e = p->e;
    LLVMValueRef size = emit_number(e, p->form.group);
    LLVMValueRef from = LLVMBuildNSWMul(e->builder, p->lines, size, "");
    EmitLoop *panel = packing_panels_begin(p);
    EmitLoop *group = emit_loop_constant(e, p->k_extent / p->form.group, false);
    int64_t row = p->form.width * p->form.group;
    EmitLoop *rest = emit_loop_begin(e, from, emit_number(e, row), 1, row, true);
    put(p, index_constant(e->index, 0), group->index, rest->index,
        emit_constant(e, p->form.element, 0));
    emit_loop_end(e, rest);
    emit_loop_end(e, group);
    emit_loop_end(e, panel);
}

// The k's of the last, incomplete step, and zeros to its end.
static void fill_step(Packing *p) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    LLVMValueRef end = LLVMBuildNSWAdd(e->builder, p->whole, emit_number(e, p->form.k_step), "");
    EmitIf incomplete = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, p->whole, p->k.count, ""));
    EmitLoop *panel = packing_panels_begin(p);
    EmitLoop *k = emit_loop_begin(e, p->whole, end, 1, p->k_extent, false);
    EmitLoop *line = lines_begin(p, false);
    EmitIf exists = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, k->phi, p->k.count, ""));
    Scalar value = packing_element(p, line->index, k->index);
    emit_else(e, &exists);
    emit_end_if(e, &exists);
    value = emit_phi(e, &exists, value, emit_constant(e, p->form.element, 0));
    const IndexExpr *group = index_div(x, k->index, p->form.group),
                    *rest = index_mod(x, k->index, p->form.group);
    put(p, line->index, group, rest, value);
    emit_loop_end(e, line);
    emit_loop_end(e, k);
    emit_loop_end(e, panel);
    emit_end_if(e, &incomplete);
}

// ---- panels

static bool takes_squares(const Packing *p, bool k_inside) {
    return p->form.group == p->per_word && k_inside && packing_square_side(p) > 0;
}

// The lines of the panels from first to stop.
static void pack_panels(Packing *p, bool k_inside) {
    int side = packing_square_side(p);
    bool is_words = p->form.group == p->per_word; // [k][line], else [step][line][k]
    if (are_images(p) && !k_inside) {
        pack_along_lines(p, FEW_OF_IMAGES, put_images);
    } else if (takes_squares(p, k_inside)) {
        packing_squares(p, side);
    } else if (
        !is_words && !k_inside && p->form.width % MAX_SQUARE == 0 &&
        p->form.k_step == side * p->per_word) {
        packing_steps(p, side);
    } else if (k_inside && !has_words(p)) {
        pack_along_k(p);
    } else {
        pack_along_lines(p, FEW_GROUPS, lines_are_torn(p) ? put_runs : put_lines);
    }
    if (p->c->k.size % p->form.k_step != 0) fill_step(p);
}

static void set_k(Packing *p) {
    Emit *e = p->e;
    int64_t step = p->form.k_step;
    p->per_word = p->c->how->group;
    p->word = p->per_word > 1 ? LLVMInt32TypeInContext(e->context)
                              : emit_register_type(e, p->form.element);
    p->k_extent = (p->k.extent + step - 1) / step * step;
    p->whole = p->k.count;
    if (p->c->k.size % step == 0) return;
    LLVMValueRef rest = LLVMBuildSRem(e->builder, p->k.count, emit_number(e, step), "");
    p->whole = LLVMBuildNSWSub(e->builder, p->k.count, rest, "");
}

// Complete panels, then the incomplete one; squares, whose code is long, in one loop for both.
static void pack(Packing *p) {
    Emit *e = p->e;
    set_k(p);
    bool k_inside = contraction_k_is_contiguous(e, p->c, p->is_lhs);
    LLVMValueRef width = emit_number(e, p->form.width), count = p->range.count;
    const RowBlock *block = &p->c->block;
    bool is_block = p->is_lhs && block->rows && !block->is_depth;
    int64_t all = is_block ? block->rows : p->is_lhs ? p->c->m.size : p->c->n.size;
    bool has_rest = all % p->form.width != 0;
    p->first = emit_number(e, 0);
    p->stop = LLVMBuildSDiv(e->builder, count, width, "");
    p->lines = width;
    LLVMValueRef complete = p->stop, rest = NULL, has_lines = NULL;
    if (has_rest) {
        rest = LLVMBuildSRem(e->builder, count, width, "");
        has_lines = LLVMBuildICmp(e->builder, LLVMIntSGT, rest, emit_number(e, 0), "");
    }
    p->is_ragged = has_rest && takes_squares(p, k_inside);
    if (p->is_ragged) {
        LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
        LLVMValueRef one_more = LLVMBuildZExt(e->builder, has_lines, i64, "");
        p->stop = LLVMBuildNSWAdd(e->builder, complete, one_more, "");
    }
    pack_panels(p, k_inside);
    if (!has_rest) return;
    p->first = complete;
    p->stop = LLVMBuildNSWAdd(e->builder, complete, emit_number(e, 1), "");
    p->lines = rest;
    EmitIf incomplete = emit_if(e, has_lines);
    bool is_packed = p->is_ragged;
    p->is_ragged = false;
    if (!is_packed) pack_panels(p, k_inside);
    fill_lines(p);
    emit_end_if(e, &incomplete);
}

void pack_lhs(
    Emit *e, const Contraction *c, const PanelForm *form, const IndexExpr *const *b, PackRange m,
    PackRange k, LLVMValueRef to) {
    Packing p = {
        .e = e, .c = c, .is_lhs = true, .form = *form, .batch = b, .range = m, .k = k, .to = to};
    pack(&p);
}

void pack_rhs(
    Emit *e, const Contraction *c, const PanelForm *form, const IndexExpr *const *b, PackRange n,
    PackRange k, LLVMValueRef to) {
    Packing p = {
        .e = e, .c = c, .is_lhs = false, .form = *form, .batch = b, .range = n, .k = k, .to = to};
    pack(&p);
}
