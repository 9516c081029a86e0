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
#include "codegen/contract/contraction.h"
#include "codegen/emit/tile_stage.h"

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
    PanelForm form;
    const IndexExpr *const *batch;
    PackRange range;          // rows (columns)
    LLVMValueRef first, stop; // the panels that the next loop over panels visits,
    LLVMValueRef lines;       // and how many of their lines exist
    bool is_ragged; // the last one of them has fewer: lines is set by the loop over panels
    const IndexExpr *line_first; // first row (column) of the current panel
    // of lines that lie in one run of memory: their indices but the last, and by how much the
    // number in the panel is more than the last one; NULL = they may lie anywhere
    const IndexExpr *run[MAX_RANK], *run_shift;
    const IndexExpr *panel; // number of the current panel
    PackRange k;
    int64_t k_extent;   // k.extent, rounded up to steps
    LLVMValueRef whole; // the k's of k.count that fill steps
    int64_t per_word;   // k's
    LLVMTypeRef word;
    LLVMValueRef to; // address of the first panel
} Packing;

static const IndexSpace *lines_of(const Packing *p) { return p->is_lhs ? &p->c->m : &p->c->n; }

static Scalar element(Packing *p, const IndexExpr *line, const IndexExpr *k) {
    IndexBuilder *x = p->e->index;
    k = index_add(x, p->k.first, k);
    if (!p->run_shift) {
        line = index_add(x, p->line_first, line);
        return contraction_element(p->e, p->c, p->is_lhs, p->batch, line, k);
    }
    p->run[lines_of(p)->rank - 1] = index_sub(x, line, p->run_shift);
    return contraction_element_of(p->e, p->c, p->is_lhs, p->batch, p->run, k);
}

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

// A loop over the panels. Where the operand's memory runs along lines, it is inside the loop over
// k: memory is read in its own order.
static EmitLoop *panels_begin(Packing *p) {
    Emit *e = p->e;
    int64_t width = p->form.width, most = (p->range.extent + width - 1) / width;
    EmitLoop *loop = emit_loop_begin(e, p->first, p->stop, 1, most, false);
    p->panel = loop->index;
    p->line_first = index_add(e->index, p->range.first, index_scale(e->index, loop->index, width));
    if (!p->is_ragged) return loop;
    LLVMValueRef before = LLVMBuildNSWMul(e->builder, loop->phi, emit_number(e, width), "");
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, p->range.count, before, "");
    p->lines = emit_minimum(e, left, emit_number(e, width));
    return loop;
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
        element(p, line, index_add(x, index_scale(x, group, p->form.group), rest)));
    if (in_group) emit_loop_end(p->e, in_group);
}

// k's that are packed for one panel before the next panel's.
enum { FEW_GROUPS = 8 };

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
    EmitLoop *panel = panels_begin(p), *line = lines_begin(p, false), *group = groups_begin(p);
    put_group(p, line->index, group->index);
    emit_loop_end(p->e, group);
    emit_loop_end(p->e, line);
    emit_loop_end(p->e, panel);
}

typedef void PutLine(Packing *p, const IndexExpr *line, const IndexExpr *group);

// May the lines of a panel lie in two runs of memory? A run goes along the last dimension.
static bool lines_are_torn(Packing *p) {
    const IndexSpace *lines = lines_of(p);
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

// The lines to the end of the first one's run, and those behind it.
static void put_runs(Packing *p, PutLine *put_line, const IndexExpr *group) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    LLVMBuilderRef b = e->builder;
    const IndexSpace *lines = lines_of(p);
    int64_t length = lines->dims[lines->rank - 1];
    LLVMValueRef first = emit_index(e, index_mod(x, p->line_first, length));
    LLVMValueRef left = LLVMBuildNSWSub(b, emit_number(e, length), first, "");
    left = emit_minimum(e, left, p->lines);
    EmitLoop *run = emit_loop_constant(e, 2, false);
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

// From memory that runs along lines: a few k's at a time, so that what the neighbouring panels read
// is near, and a panel is written in runs that are longer than its one k. Panels often lie a
// multiple of the caches' period apart, and one k of each would share a few of their places.
static void pack_along_lines(Packing *p, PutLine *put_line) {
    Emit *e = p->e;
    bool are_torn = lines_are_torn(p);
    LLVMValueRef groups = whole_groups(p);
    int64_t extent = p->k_extent / p->form.group;
    EmitLoop *few = emit_loop_begin(e, emit_number(e, 0), groups, FEW_GROUPS, extent, false);
    EmitLoop *panel = panels_begin(p);
    EmitLoop *group = emit_loop_begin(e, few->phi, emit_block_end(e, few), 1, extent, false);
    prefetch_groups(p, group->index);
    if (are_torn) {
        put_runs(p, put_line, group->index);
    } else {
        EmitLoop *line = lines_begin(p, true);
        put_line(p, line->index, group->index);
        emit_loop_end(e, line);
    }
    emit_loop_end(e, group);
    emit_loop_end(e, panel);
    emit_loop_end(e, few);
}

// Lines of a panel that are neighbours in the images: they exist all together, or none does. A few
// k's at a time, so that a panel is written in whole cache lines while what the neighbouring panels
// read stays in the first-level cache.
static void pack_images(Packing *p) {
    enum { FEW = 16 };
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    Contraction inside = *p->c;
    inside.is_inside = true;
    const Contraction *outer = p->c;
    EmitLoop *few = emit_loop_begin(e, emit_number(e, 0), p->whole, FEW, p->k_extent, false);
    EmitLoop *panel = panels_begin(p);
    EmitLoop *k = emit_loop_begin(e, few->phi, emit_block_end(e, few), 1, p->k_extent, false);
    const IndexExpr *at = index_add(x, p->k.first, k->index), *zero = index_constant(x, 0);
    EmitIf exists = emit_if(e, contraction_inside(e, p->c, p->batch, p->line_first, at));
    p->c = &inside;
    EmitLoop *line = lines_begin(p, true);
    put(p, line->index, k->index, zero, element(p, line->index, k->index));
    emit_loop_end(e, line);
    p->c = outer;
    emit_else(e, &exists);
    line = lines_begin(p, true);
    put(p, line->index, k->index, zero, emit_constant(e, p->form.element, 0));
    emit_loop_end(e, line);
    emit_end_if(e, &exists);
    emit_loop_end(e, k);
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
    EmitLoop *panel = panels_begin(p);
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
    EmitLoop *panel = panels_begin(p);
    EmitLoop *k = emit_loop_begin(e, p->whole, end, 1, p->k_extent, false);
    EmitLoop *line = lines_begin(p, false);
    EmitIf exists = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, k->phi, p->k.count, ""));
    Scalar value = element(p, line->index, k->index);
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

// ---- words

static LLVMValueRef word_address(Packing *p, LLVMValueRef array, LLVMValueRef at) {
    return LLVMBuildInBoundsGEP2(p->e->builder, p->word, array, &at, 1, "");
}

static unsigned word_alignment(const Packing *p) {
    return (unsigned)element_bytes(p->c->accumulator);
}

static LLVMValueRef add(Packing *p, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildNSWAdd(p->e->builder, x, y, "");
}

static void put_word(Packing *p, LLVMValueRef array, const IndexExpr *at, LLVMValueRef word) {
    emit_private_store(
        p->e, ELEMENT_I32, array, emit_index(p->e, at),
        (Scalar){.element = ELEMENT_I32, .value = word});
}

// The elements k * per_word ... of a line, the first one lowest.
static LLVMValueRef word(Packing *p, const IndexExpr *line, const IndexExpr *k) {
    LLVMBuilderRef b = p->e->builder;
    IndexBuilder *x = p->e->index;
    int bits = element_bits(p->form.element);
    LLVMTypeRef narrow = LLVMIntTypeInContext(p->e->context, (unsigned)bits);
    LLVMValueRef all = NULL;
    for (int i = 0; i < p->per_word; i++) {
        const IndexExpr *at = index_add_constant(x, index_scale(x, k, p->per_word), i);
        LLVMValueRef one = LLVMBuildBitCast(b, element(p, line, at).value, narrow, "");
        one = LLVMBuildZExt(b, one, p->word, "");
        if (i > 0) one = LLVMBuildShl(b, one, LLVMConstInt(p->word, (unsigned)(i * bits), 0), "");
        all = all ? LLVMBuildOr(b, all, one, "") : one;
    }
    return all;
}

// Of panels of words [k][line].
static void put_words(Packing *p, const IndexExpr *line, const IndexExpr *group) {
    IndexBuilder *x = p->e->index;
    const IndexExpr *at = index_scale(x, p->panel, p->k_extent / p->per_word * p->form.width);
    at = index_add(x, at, index_add(x, index_scale(x, group, p->form.width), line));
    put_word(p, p->to, at, word(p, line, group));
}

// ---- through registers
//
// Where the operand's memory runs across the panel's, a part is first read in its own order into a
// small array, and then transposed in squares of one register's words (codegen/emit/tile_stage.c).
// The last words of a square's stores may reach beyond the panel's width: into what is written
// after them, so the squares of the last lines come first.

enum { STAGE = 128 };

static int square_side(const Packing *p) {
    int side = contract_lanes(p->c, p->e->target);
    return side >= 4 && side <= MAX_SQUARE ? side : 0;
}

// One square of the array, whose rows are `row` words apart, to rows of the panel `distance` words
// apart.
static void transpose_square(
    Packing *p, LLVMValueRef array, int64_t row, LLVMValueRef column, int side, LLVMValueRef to,
    int64_t distance) {
    Square square = {
        .side = side,
        .bits = (unsigned)element_bits(p->c->accumulator),
        .alignment = word_alignment(p),
        .from = word_address(p, array, column),
        .to = word_address(p, p->to, to),
        .from_stride = row,
        .to_stride = distance};
    emit_transpose_square(p->e, &square);
}

// What the next panel has in the place of these elements.
static void prefetch_panel(Packing *p, const IndexExpr *line, const IndexExpr *k, int64_t count) {
    IndexBuilder *x = p->e->index;
    contraction_prefetch(
        p->e, p->c, p->is_lhs, p->batch, index_add(x, p->line_first, line),
        index_add(x, p->k.first, k), true, p->form.width, count);
}

// `side` lines from memory that runs along k: the k's from `first` on, `all` of them, at most
// `most`.
static void pack_rows_of_squares(
    Packing *p, int side, LLVMValueRef array, const IndexExpr *first_line, const IndexExpr *first,
    LLVMValueRef all, int64_t most) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    int64_t width = p->form.width, length = STAGE * p->per_word;
    LLVMValueRef zero = emit_number(e, 0), done = emit_index(e, first_line);
    EmitLoop *stage = emit_loop_begin(e, zero, all, length, most, false);
    const IndexExpr *from = index_add(x, first, stage->index);
    LLVMValueRef end = emit_block_end(e, stage);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, end, stage->phi, "");
    LLVMValueRef rows =
        emit_minimum(e, LLVMBuildNSWSub(e->builder, p->lines, done, ""), emit_number(e, side));
    EmitLoop *row = emit_loop_begin(e, zero, rows, 1, side, false);
    const IndexExpr *line = index_add(x, first_line, row->index);
    prefetch_panel(p, line, from, length);
    EmitLoop *k = emit_loop_begin(e, stage->phi, end, 1, most, true);
    Scalar value = element(p, line, index_add(x, first, k->index));
    const IndexExpr *at = index_sub(x, k->index, stage->index);
    at = index_add(x, index_scale(x, row->index, length), at);
    emit_private_store(e, p->form.element, array, emit_index(e, at), value);
    emit_loop_end(e, k);
    emit_loop_end(e, row);
    LLVMValueRef per_word = emit_number(e, p->per_word);
    LLVMValueRef first_word = LLVMBuildSDiv(e->builder, emit_index(e, from), per_word, "");
    LLVMValueRef words = LLVMBuildSDiv(e->builder, count, per_word, "");
    EmitLoop *square = emit_loop_begin(e, zero, words, side, STAGE, false);
    const IndexExpr *to = index_scale(x, p->panel, p->k_extent / p->per_word * width);
    to = index_add(x, to, first_line);
    LLVMValueRef k_to = add(p, first_word, square->phi);
    k_to = LLVMBuildNSWMul(e->builder, k_to, emit_number(e, width), "");
    transpose_square(p, array, STAGE, square->phi, side, add(p, emit_index(e, to), k_to), width);
    emit_loop_end(e, square);
    emit_loop_end(e, stage);
}

// Panels of words [k][line] from memory that runs along k, one run of k's after the other.
static void pack_squares(Packing *p, int side) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    int64_t squares = (p->form.width + side - 1) / side, run = contraction_run(p->c, &p->form);
    bool by_runs = run > 0 && run < p->k_extent && p->k_extent % run == 0;
    LLVMValueRef array = emit_alloca(e, p->word, (int64_t)side * STAGE, 64),
                 zero = emit_number(e, 0), all = by_runs ? emit_number(e, run) : p->whole;
    EmitLoop *panel = panels_begin(p);
    EmitLoop *runs = NULL;
    if (by_runs) {
        LLVMValueRef count = LLVMBuildSDiv(e->builder, p->whole, all, "");
        runs = emit_loop_begin(e, zero, count, 1, p->k_extent / run, false);
    }
    EmitLoop *group = emit_loop_constant(e, squares, false);
    const IndexExpr *first_line =
        index_scale(x, index_sub(x, index_constant(x, squares - 1), group->index), side);
    const IndexExpr *first = runs ? index_scale(x, runs->index, run) : index_constant(x, 0);
    pack_rows_of_squares(p, side, array, first_line, first, all, by_runs ? run : p->k_extent);
    emit_loop_end(e, group);
    if (runs) emit_loop_end(e, runs);
    emit_loop_end(e, panel);
}

// Panels [step][line][words] from memory that runs along lines: a step's words of `side` lines are
// a square.
static void pack_steps(Packing *p, int side) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    int64_t row = p->form.k_step / p->per_word; // == side
    LLVMValueRef array = emit_alloca(e, p->word, (int64_t)side * side, 64),
                 zero = emit_number(e, 0);
    LLVMValueRef steps = LLVMBuildSDiv(e->builder, p->whole, emit_number(e, p->form.k_step), "");
    EmitLoop *step = emit_loop_begin(e, zero, steps, 1, p->k_extent / p->form.k_step, false);
    EmitLoop *panel = panels_begin(p);
    EmitLoop *square = emit_loop_constant(e, p->form.width / side, false);
    LLVMValueRef done = LLVMBuildNSWMul(e->builder, square->phi, emit_number(e, side), "");
    LLVMValueRef lines =
        emit_minimum(e, LLVMBuildNSWSub(e->builder, p->lines, done, ""), emit_number(e, side));
    EmitLoop *k = emit_loop_constant(e, row, false);
    EmitLoop *line = emit_loop_begin(e, zero, lines, 1, side, true);
    const IndexExpr *in_panel = index_add(x, index_scale(x, square->index, side), line->index);
    LLVMValueRef value =
        word(p, in_panel, index_add(x, index_scale(x, step->index, row), k->index));
    put_word(p, array, index_add(x, index_scale(x, k->index, side), line->index), value);
    emit_loop_end(e, line);
    emit_loop_end(e, k);
    const IndexExpr *to = index_scale(x, p->panel, p->k_extent / p->per_word * p->form.width);
    to = index_add(x, to, index_scale(x, step->index, p->form.width * row));
    to = index_add(x, to, index_scale(x, square->index, side * row));
    transpose_square(p, array, side, zero, side, emit_index(e, to), row);
    emit_loop_end(e, square);
    emit_loop_end(e, panel);
    emit_loop_end(e, step);
}

// ---- panels

static bool takes_squares(const Packing *p, bool k_inside) {
    return p->form.group == p->per_word && k_inside && square_side(p) > 0;
}

// The lines of the panels from first to stop.
static void pack_panels(Packing *p, bool k_inside) {
    int side = square_side(p);
    bool is_words = p->form.group == p->per_word; // [k][line], else [step][line][k]
    if (are_images(p) && !k_inside) {
        pack_images(p);
    } else if (takes_squares(p, k_inside)) {
        pack_squares(p, side);
    } else if (is_words && p->per_word > 1) {
        pack_along_lines(p, put_words);
    } else if (
        !is_words && !k_inside && p->form.width % MAX_SQUARE == 0 &&
        p->form.k_step == side * p->per_word) {
        pack_steps(p, side);
    } else if (k_inside) {
        pack_along_k(p);
    } else {
        pack_along_lines(p, put_group);
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
    int64_t all = p->is_lhs ? p->c->m.size : p->c->n.size;
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
