// squares: packing through registers.
//
// Where the operand's memory runs across the panel's, it is transposed in squares of one register's
// words (codegen/emit/tile_stage.c): from where it lies, if that is memory of the panel's elements;
// else a part is read in its own order into a small array first.
// The last words of a square's stores may reach beyond the panel's width: into what is written
// after them, so the squares of the last lines come first.
#include "codegen/contract/pack/packing.h"
#include "codegen/emit/tile_stage.h"

static LLVMValueRef word_address(Packing *p, LLVMValueRef array, LLVMValueRef at) {
    return LLVMBuildInBoundsGEP2(p->e->builder, p->word, array, &at, 1, "");
}

static unsigned word_alignment(const Packing *p) {
    return (unsigned)element_bytes(p->c->accumulator);
}

static LLVMValueRef add(Packing *p, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildNSWAdd(p->e->builder, x, y, "");
}

// ---- squares

enum { STAGE = 128 };

int packing_square_side(const Packing *p) {
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

// Some lines of the current panel, and of them a range of the panel's k's.
typedef struct Stripe {
    int side;                            // of the squares, and the most lines
    const IndexExpr *first_line, *first; // in the panel, in the panel's k's
    LLVMValueRef all;                    // k's
    int64_t most;                        // of them
    LLVMValueRef array;                  // [side][STAGE] words
} Stripe;

// Where a stripe's words begin in the panel.
static LLVMValueRef place_of_words(Packing *p, const Stripe *stripe, LLVMValueRef first_word) {
    IndexBuilder *x = p->e->index;
    int64_t width = p->form.width;
    const IndexExpr *to = index_scale(x, p->panel, p->k_extent / p->per_word * width);
    to = index_add(x, to, stripe->first_line);
    LLVMValueRef k_to = LLVMBuildNSWMul(p->e->builder, first_word, emit_number(p->e, width), "");
    return add(p, emit_index(p->e, to), k_to);
}

static LLVMValueRef words_of(Packing *p, LLVMValueRef elements) {
    return LLVMBuildSDiv(p->e->builder, elements, emit_number(p->e, p->per_word), "");
}

// Is the operand memory of words as the panel has them?
static bool lies_in_words(Packing *p, OperandPlace *place) {
    return contraction_place(p->e, p->c, p->is_lhs, p->batch, place) && place->k_stride == 1 &&
           place->stored->type->element == p->form.element && place->line_stride % p->per_word == 0;
}

// All whole squares of the stripe, straight from memory. Lines that do not exist are like the last
// one: they are filled later (fill_lines). Returns how many k's that are.
static LLVMValueRef pack_in_place(Packing *p, const Stripe *stripe, const OperandPlace *place) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    int side = stripe->side;
    int64_t length = side * p->per_word, size = (int64_t)element_bytes(p->form.element);
    LLVMValueRef rest = LLVMBuildSRem(e->builder, stripe->all, emit_number(e, length), "");
    LLVMValueRef whole = LLVMBuildNSWSub(e->builder, stripe->all, rest, "");
    const IndexExpr *line = index_add(x, p->line_first, stripe->first_line);
    LLVMValueRef rows = emit_remaining(e, line, side, packing_lines(p)->size);
    EmitLoop *k = emit_loop_begin(e, emit_number(e, 0), whole, length, stripe->most, false);
    const IndexExpr *at = index_add(x, stripe->first, k->index);
    LLVMValueRef to = place_of_words(p, stripe, words_of(p, emit_index(e, at)));
    Square square = {
        .side = side,
        .bits = (unsigned)element_bits(p->c->accumulator),
        .alignment = (unsigned)size,
        .from = contraction_place_address(e, place, line, index_add(x, p->k.first, at)),
        .to = word_address(p, p->to, to),
        .from_stride = place->line_stride / p->per_word,
        .to_stride = p->form.width,
        .rows = rows,
        .ahead = p->form.width * place->line_stride * size};
    emit_transpose_square(e, &square);
    emit_loop_end(e, k);
    return whole;
}

static void pack_stripe(Packing *p, const Stripe *stripe) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    int side = stripe->side;
    int64_t length = STAGE * p->per_word;
    LLVMValueRef zero = emit_number(e, 0), begin = zero;
    OperandPlace place;
    bool in_place = lies_in_words(p, &place);
    if (in_place) {
        begin = pack_in_place(p, stripe, &place);
        if (stripe->most % (side * p->per_word) == 0 && p->c->k.size % (side * p->per_word) == 0)
            return;
    }
    EmitLoop *stage = emit_loop_begin(e, begin, stripe->all, length, stripe->most, false);
    const IndexExpr *from = index_add(x, stripe->first, stage->index);
    LLVMValueRef end = emit_block_end(e, stage), done = emit_index(e, stripe->first_line);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, end, stage->phi, "");
    LLVMValueRef rows =
        emit_minimum(e, LLVMBuildNSWSub(e->builder, p->lines, done, ""), emit_number(e, side));
    EmitLoop *row = emit_loop_begin(e, zero, rows, 1, side, false);
    const IndexExpr *line = index_add(x, stripe->first_line, row->index);
    if (!in_place) prefetch_panel(p, line, from, length);
    EmitLoop *k = emit_loop_begin(e, stage->phi, end, 1, stripe->most, !in_place);
    Scalar value = packing_element(p, line, index_add(x, stripe->first, k->index));
    const IndexExpr *at = index_sub(x, k->index, stage->index);
    at = index_add(x, index_scale(x, row->index, length), at);
    emit_private_store(e, p->form.element, stripe->array, emit_index(e, at), value);
    emit_loop_end(e, k);
    emit_loop_end(e, row);
    LLVMValueRef first_word = words_of(p, emit_index(e, from));
    EmitLoop *square = emit_loop_begin(e, zero, words_of(p, count), side, STAGE, false);
    LLVMValueRef to = place_of_words(p, stripe, add(p, first_word, square->phi));
    transpose_square(p, stripe->array, STAGE, square->phi, side, to, p->form.width);
    emit_loop_end(e, square);
    emit_loop_end(e, stage);
}

// Panels of words [k][line] from memory that runs along k, one run of k's after the other.
void packing_squares(Packing *p, int side) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    int64_t squares = (p->form.width + side - 1) / side, run = contraction_run(p->c, &p->form);
    bool by_runs = run > 0 && run < p->k_extent && p->k_extent % run == 0;
    LLVMValueRef array = emit_alloca(e, p->word, (int64_t)side * STAGE, 64),
                 zero = emit_number(e, 0), all = by_runs ? emit_number(e, run) : p->whole;
    EmitLoop *panel = packing_panels_begin(p);
    EmitLoop *runs = NULL;
    if (by_runs) {
        LLVMValueRef count = LLVMBuildSDiv(e->builder, p->whole, all, "");
        runs = emit_loop_begin(e, zero, count, 1, p->k_extent / run, false);
    }
    EmitLoop *group = emit_loop_constant(e, squares, false);
    const IndexExpr *first_line =
        index_scale(x, index_sub(x, index_constant(x, squares - 1), group->index), side);
    const IndexExpr *first = runs ? index_scale(x, runs->index, run) : index_constant(x, 0);
    Stripe stripe = {side, first_line, first, all, by_runs ? run : p->k_extent, array};
    pack_stripe(p, &stripe);
    emit_loop_end(e, group);
    if (runs) emit_loop_end(e, runs);
    emit_loop_end(e, panel);
}

// One row of a square: of each line of [first, first + count) the word at a k; zeros for NULL.
static void put_row(
    Packing *p, LLVMValueRef array, const IndexExpr *to, const IndexExpr *first, LLVMValueRef count,
    int side, const IndexExpr *word) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    EmitLoop *line = emit_loop_begin(e, emit_number(e, 0), count, 1, side, true);
    LLVMValueRef value =
        word ? packing_word(p, index_add(x, first, line->index), word) : LLVMConstNull(p->word);
    packing_put_word(p, array, index_add(x, to, line->index), value);
    emit_loop_end(e, line);
}

// The same of lines that are neighbours in the images: they exist all together, or none does.
static void put_row_of_images(
    Packing *p, LLVMValueRef array, const IndexExpr *to, const IndexExpr *first, LLVMValueRef count,
    int side, const IndexExpr *word) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    const Contraction *outer = p->c;
    Contraction inside = *outer;
    inside.is_inside = true;
    const IndexExpr *line = index_add(x, p->line_first, first),
                    *k = index_add(x, p->k.first, index_scale(x, word, p->per_word));
    EmitIf exists = emit_if(e, contraction_inside(e, p->c, p->batch, line, k));
    p->c = &inside;
    put_row(p, array, to, first, count, side, word);
    p->c = outer;
    emit_else(e, &exists);
    put_row(p, array, to, first, count, side, NULL);
    emit_end_if(e, &exists);
}

// Panels [step][line][words] from memory that runs along lines: a step's words of `side` lines are
// a square.
void packing_steps(Packing *p, int side) {
    Emit *e = p->e;
    IndexBuilder *x = e->index;
    bool are_images = p->is_lhs && contraction_has_rows_of_images(p->c, side);
    int64_t row = p->form.k_step / p->per_word; // == side
    LLVMValueRef array = emit_alloca(e, p->word, (int64_t)side * side, 64),
                 zero = emit_number(e, 0);
    LLVMValueRef steps = LLVMBuildSDiv(e->builder, p->whole, emit_number(e, p->form.k_step), "");
    EmitLoop *step = emit_loop_begin(e, zero, steps, 1, p->k_extent / p->form.k_step, false);
    EmitLoop *panel = packing_panels_begin(p);
    EmitLoop *square = emit_loop_constant(e, p->form.width / side, false);
    LLVMValueRef done = LLVMBuildNSWMul(e->builder, square->phi, emit_number(e, side), "");
    LLVMValueRef lines =
        emit_minimum(e, LLVMBuildNSWSub(e->builder, p->lines, done, ""), emit_number(e, side));
    EmitLoop *k = emit_loop_constant(e, row, false);
    const IndexExpr *first = index_scale(x, square->index, side),
                    *word = index_add(x, index_scale(x, step->index, row), k->index),
                    *in_array = index_scale(x, k->index, side);
    if (are_images)
        put_row_of_images(p, array, in_array, first, lines, side, word);
    else
        put_row(p, array, in_array, first, lines, side, word);
    emit_loop_end(e, k);
    const IndexExpr *to = index_scale(x, p->panel, p->k_extent / p->per_word * p->form.width);
    to = index_add(x, to, index_scale(x, step->index, p->form.width * row));
    to = index_add(x, to, index_scale(x, square->index, side * row));
    transpose_square(p, array, side, zero, side, emit_index(e, to), row);
    emit_loop_end(e, square);
    emit_loop_end(e, panel);
    emit_loop_end(e, step);
}
