// fft_lines: lines are brought into the lanes of vectors, block by block: neighbours where the
// transformed dimension is not the last one, else rows, by transposing squares of numbers. Results
// go into another array, so that a block at the end may overlap the one before it, and stores may
// reach beyond what they are to write, if that is written later.
//
// A long line is a matrix of R rows and C columns, n = R C, element (j, c) = x[j C + c]:
//     y[k, c] = exp(sign 2 pi i k c / n) * transform of column c
//     X[k + R l] = transform of row k of y at l
// Source: Bailey, "FFTs in external or hierarchical memory", Journal of Supercomputing 4, 1990.
#include "codegen/lower/fft_lines.h"

#include "codegen/lower/fft_butterfly.h"

#include <math.h>

#define TURN 6.28318530717958647692

enum { MIN_MATRIX = 256 };

static LLVMValueRef number(FftMachine *m, int64_t x) { return emit_i64_constant(m->e, x); }

static LLVMValueRef times(FftMachine *m, LLVMValueRef x, int64_t factor) {
    return LLVMBuildNSWMul(m->e->builder, x, number(m, factor), "");
}

static LLVMValueRef plus(FftMachine *m, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildNSWAdd(m->e->builder, x, y, "");
}

// ---- plan

static bool is_large_prime(int64_t n) {
    for (int64_t p = 2; p <= MAX_FFT_RADIX; p++) {
        while (n % p == 0)
            n /= p;
    }
    return n > 1;
}

// The columns of a line as a matrix: nearest to a square, with rows and columns that fill the lanes
// and, if possible, have no large prime factors.
static int64_t columns_of(int64_t n, int width) {
    int64_t best = 0;
    if (n < MIN_MATRIX) return 0;
    for (int64_t c = width; c * c <= n; c++) {
        if (n % c || n / c < width) continue;
        if (best && !is_large_prime(best) && is_large_prime(c)) continue;
        best = c;
    }
    return best;
}

// Are the turns of all rows and columns constants?
static bool has_all_turns(const FftStep *step) { return step->n <= MAX_FFT_TABLE; }

FftStep fft_step_of(int64_t outer, int64_t n, int64_t stride, int width) {
    FftStep step = {.outer = outer, .n = n, .stride = stride, .scale = 1};
    if (stride == 1 && width > 1) step.columns = columns_of(n, width);
    return step;
}

void fft_step_place(FftStep *step, int width, int64_t number_bytes, int64_t *scratch) {
    int64_t first = step->columns ? step->n / step->columns : step->n;
    step->length = fft_length_of(first, number_bytes, scratch);
    if (!step->columns) return;
    step->row_length = fft_length_of(step->columns, number_bytes, scratch);
    step->turns_at = *scratch;
    if (!has_all_turns(step)) *scratch += 2 * number_bytes * width * first;
}

int64_t fft_step_rows(const FftStep *step) {
    int64_t rows = step->length.padded;
    return step->columns && step->row_length.padded > rows ? step->row_length.padded : rows;
}

// ---- lanes in memory

// Where lines lie: element k of the lane l at first + k * step + l * line_step, in complex numbers.
typedef struct Place {
    LLVMValueRef array, first;
    int64_t step;
} Place;

static FftPair scaled(FftMachine *m, double scale, FftPair x) {
    if (scale == 1) return x;
    LLVMValueRef factor = fft_splat(m, LLVMConstReal(m->number, scale));
    return (FftPair){
        LLVMBuildFMul(m->e->builder, x.re, factor, ""),
        LLVMBuildFMul(m->e->builder, x.im, factor, "")};
}

// A square of numbers, by exchanging blocks of halving size.
static void transpose(FftMachine *m, LLVMValueRef *rows) {
    for (int half = m->width / 2; half >= 1; half /= 2) {
        int low[MAX_FFT_LANES], high[MAX_FFT_LANES];
        for (int l = 0; l < m->width; l++) {
            low[l] = l & half ? m->width + l - half : l;
            high[l] = l & half ? m->width + l : l + half;
        }
        for (int i = 0; i < m->width; i++) {
            if (i & half) continue;
            LLVMValueRef x = rows[i], y = rows[i + half];
            rows[i] = fft_shuffle(m, x, y, low);
            rows[i + half] = fft_shuffle(m, x, y, high);
        }
    }
}

// The line of a lane: all lanes have one, though there may be fewer lines.
static LLVMValueRef row_start(FftMachine *m, Place place, int lane, int64_t lines) {
    int64_t line = lane < lines ? lane : lines - 1;
    return plus(m, place.first, number(m, line * place.step));
}

static void load_rows(FftMachine *m, Place place, int64_t n, int64_t lines) {
    LLVMBuilderRef b = m->e->builder;
    int half = m->width / 2;
    LLVMValueRef rows[MAX_FFT_LANES];
    EmitLoop *block = emit_loop_constant(m->e, (n + half - 1) / half, false);
    LLVMValueRef k = times(m, block->phi, half);
    for (int l = 0; l < m->width; l++)
        rows[l] = fft_vector_load(m, place.array, plus(m, row_start(m, place, l, lines), k), 0);
    transpose(m, rows);
    for (int i = 0; i < half; i++)
        fft_pair_store(
            m, m->buffers[0], LLVMBuildNSWAdd(b, k, number(m, i), ""),
            (FftPair){rows[2 * i], rows[2 * i + 1]});
    emit_loop_end(m->e, block);
}

// From the end to the beginning: what a line's last block writes beyond it is the beginning of
// the next line, which comes later.
static void store_rows(
    FftMachine *m, Place place, int64_t n, int64_t lines, int buffer, double scale) {
    LLVMBuilderRef b = m->e->builder;
    int half = m->width / 2;
    int64_t blocks = (n + half - 1) / half;
    LLVMValueRef rows[MAX_FFT_LANES];
    EmitLoop *block = emit_loop_constant(m->e, blocks, false);
    LLVMValueRef back = LLVMBuildNSWSub(b, number(m, blocks - 1), block->phi, "");
    LLVMValueRef k = times(m, back, half);
    for (int i = 0; i < half; i++) {
        FftPair x = fft_pair_load(m, m->buffers[buffer], plus(m, k, number(m, i)));
        x = scaled(m, scale, x);
        rows[2 * i] = x.re;
        rows[2 * i + 1] = x.im;
    }
    transpose(m, rows);
    for (int l = 0; l < m->width && l < lines; l++)
        fft_vector_store(m, place.array, plus(m, row_start(m, place, l, lines), k), 0, rows[l]);
    emit_loop_end(m->e, block);
}

// ---- steps

// A loop over blocks of `width` of `count` lines; *start: the first line of the block. The last
// block overlaps the one before it.
static EmitLoop *block_loop(FftMachine *m, int64_t count, LLVMValueRef *start) {
    EmitLoop *block = emit_loop_constant(m->e, (count + m->width - 1) / m->width, false);
    LLVMValueRef both[2] = {
        times(m, block->phi, m->width), number(m, count > m->width ? count - m->width : 0)};
    *start = emit_intrinsic(m->e, "llvm.smin", emit_i64(m->e), 2, both);
    return block;
}

// exp(sign 2 pi i k c / n) times the scale of the step: of all rows k and columns c as a constant
// if they are few, else of the columns below the width, in the scratch.
static LLVMValueRef constant_turns(FftMachine *m, const FftStep *step) {
    int64_t columns = step->columns;
    LLVMValueRef *numbers = ARENA_ARRAY(m->e->arena, LLVMValueRef, 2 * step->n);
    for (int64_t k = 0; k < step->n / columns; k++) {
        for (int64_t c = 0; c < columns; c++) {
            double angle = TURN * ((double)(k * c) / (double)step->n);
            double sine = (double)m->sign * sin(angle);
            numbers[2 * k * columns + c] = LLVMConstReal(m->number, step->scale * cos(angle));
            numbers[(2 * k + 1) * columns + c] = LLVMConstReal(m->number, step->scale * sine);
        }
    }
    return fft_constant_table(m, m->number, 2 * step->n, numbers);
}

static void make_turns(FftMachine *m, FftStep *step) {
    Emit *e = m->e;
    LLVMValueRef scale = LLVMConstReal(m->number, step->scale);
    step->turns = emit_scratch(e, step->turns_at);
    step->roots = fft_roots(m, step->n, m->sign);
    EmitLoop *k = emit_loop_constant(e, step->n / step->columns, false);
    EmitLoop *l = emit_loop_constant(e, m->width, false);
    LLVMValueRef power = LLVMBuildNSWMul(e->builder, k->phi, l->phi, "");
    FftPair root = fft_root(m, &step->roots, power);
    LLVMValueRef at = plus(m, times(m, k->phi, (int64_t)2 * m->width), l->phi);
    LLVMValueRef re = LLVMBuildFMul(e->builder, root.re, scale, "");
    LLVMBuildStore(e->builder, re, fft_number_address(m, step->turns, at));
    at = plus(m, at, number(m, m->width));
    LLVMValueRef im = LLVMBuildFMul(e->builder, root.im, scale, "");
    LLVMBuildStore(e->builder, im, fft_number_address(m, step->turns, at));
    emit_loop_end(e, l);
    emit_loop_end(e, k);
}

// Of row k, and of the columns from `start`.
static FftPair turn_of(FftMachine *m, const FftStep *step, LLVMValueRef k, LLVMValueRef start) {
    if (has_all_turns(step)) {
        LLVMValueRef at = plus(m, times(m, k, 2 * step->columns), start), re, im;
        re = LLVMBuildLoad2(m->e->builder, m->vector, fft_number_address(m, step->turns, at), "");
        at = plus(m, at, number(m, step->columns));
        im = LLVMBuildLoad2(m->e->builder, m->vector, fft_number_address(m, step->turns, at), "");
        LLVMSetAlignment(re, (unsigned)element_bytes(m->real));
        LLVMSetAlignment(im, (unsigned)element_bytes(m->real));
        return (FftPair){re, im};
    }
    FftPair root = fft_root(m, &step->roots, LLVMBuildNSWMul(m->e->builder, k, start, ""));
    root = (FftPair){fft_splat(m, root.re), fft_splat(m, root.im)};
    return fft_times(m, root, fft_pair_load(m, step->turns, k));
}

// Columns as the ends of a transform.
typedef struct Columns {
    FftEnds ends;
    Place in, out;
    // results are multiplied by its turns, of the columns from `start`; NULL = not
    const FftStep *turns;
    LLVMValueRef start;
    double scale;
    int64_t ahead; // what lies so many complex numbers further in memory is asked for; 0 = nothing
} Columns;

// The two vectors of complex numbers at a place, for later.
static void prefetch(FftMachine *m, LLVMValueRef array, LLVMValueRef at, bool to_write) {
    for (int part = 0; part < 2; part++) {
        LLVMValueRef numbers = plus(m, times(m, at, 2), number(m, (int64_t)part * m->width));
        LLVMValueRef address = LLVMBuildGEP2(m->e->builder, m->number, array, &numbers, 1, "");
        emit_prefetch(m->e, address, to_write, PREFETCH_FIRST);
    }
}

static FftPair load_column(FftMachine *m, const FftEnds *ends, LLVMValueRef k) {
    const Place *in = &((const Columns *)ends)->in;
    LLVMValueRef at = plus(m, in->first, times(m, k, in->step));
    int64_t ahead = ((const Columns *)ends)->ahead;
    if (ahead) prefetch(m, in->array, plus(m, at, number(m, ahead)), false);
    return fft_neighbours_load(m, in->array, at);
}

static void store_column(FftMachine *m, const FftEnds *ends, LLVMValueRef k, FftPair x) {
    const Columns *columns = (const Columns *)ends;
    const Place *out = &columns->out;
    if (columns->turns) x = fft_times(m, x, turn_of(m, columns->turns, k, columns->start));
    x = scaled(m, columns->scale, x);
    LLVMValueRef at = plus(m, out->first, times(m, k, out->step));
    bool is_last = columns->ahead && !columns->turns; // of a line in memory
    if (is_last) prefetch(m, out->array, plus(m, at, number(m, columns->ahead)), true);
    fft_neighbours_store(m, out->array, at, x);
}

// Where a row is shorter than a vector, a store reaches into the rows behind it: these must come
// later.
static void run_columns(FftMachine *m, const FftStep *step, LLVMValueRef from, LLVMValueRef to) {
    EmitLoop *outer = emit_loop_constant(m->e, step->outer, false);
    LLVMValueRef start, base = times(m, outer->phi, step->n * step->stride);
    EmitLoop *block = block_loop(m, step->stride, &start);
    LLVMValueRef first = plus(m, base, start);
    Columns columns = {
        .ends = {load_column, step->stride < m->width ? NULL : store_column},
        .in = {from, first, step->stride},
        .out = {to, first, step->stride},
        .scale = step->scale};
    int buffer = fft_length_run(m, &step->length, &columns.ends);
    if (!columns.ends.store) {
        EmitLoop *k = emit_loop_constant(m->e, step->n, false);
        store_column(m, &columns.ends, k->phi, fft_pair_load(m, m->buffers[buffer], k->phi));
        emit_loop_end(m->e, k);
    }
    emit_loop_end(m->e, block);
    emit_loop_end(m->e, outer);
}

static void run_rows(FftMachine *m, const FftStep *step, LLVMValueRef from, LLVMValueRef to) {
    LLVMValueRef start;
    EmitLoop *block = block_loop(m, step->outer, &start);
    Place place = {from, times(m, start, step->n), step->n};
    load_rows(m, place, step->n, step->outer);
    int buffer = fft_length_run(m, &step->length, &(FftEnds){NULL, NULL});
    place.array = to;
    store_rows(m, place, step->n, step->outer, buffer, step->scale);
    emit_loop_end(m->e, block);
}

// From an array through another one into a third, each of which may be at a place of its
// own. `to` may be the first one.
static void run_line(
    FftMachine *m, const FftStep *step, Place from, Place through, Place to, int64_t ahead) {
    int64_t count = step->columns, rows = step->n / count;
    LLVMValueRef start;
    EmitLoop *block = block_loop(m, count, &start);
    Columns columns = {
        {load_column, store_column}, .turns = step, .start = start, .scale = 1, .ahead = ahead};
    columns.in = (Place){from.array, plus(m, from.first, start), count};
    columns.out = (Place){through.array, plus(m, through.first, start), count};
    fft_length_run(m, &step->length, &columns.ends);
    emit_loop_end(m->e, block);
    block = block_loop(m, rows, &start);
    Place row = {through.array, plus(m, through.first, times(m, start, count)), count};
    load_rows(m, row, count, rows);
    columns = (Columns){.ends = {NULL, store_column}, .scale = 1, .ahead = ahead};
    columns.out = (Place){to.array, plus(m, to.first, start), rows};
    fft_length_run(m, &step->row_length, &columns.ends);
    emit_loop_end(m->e, block);
}

static void run_matrix(FftMachine *m, const FftStep *step, LLVMValueRef from, LLVMValueRef to) {
    EmitLoop *line = emit_loop_constant(m->e, step->outer, false);
    LLVMValueRef base = times(m, line->phi, step->n);
    run_line(m, step, (Place){from, base, 1}, (Place){to, base, 1}, (Place){from, base, 1}, 0);
    emit_loop_end(m->e, line);
}

void fft_line_run(
    FftMachine *m, const FftStep *step, LLVMValueRef from, LLVMValueRef through, LLVMValueRef to) {
    LLVMValueRef zero = number(m, 0);
    run_line(
        m, step, (Place){from, zero, 1}, (Place){through, zero, 1}, (Place){to, zero, 1},
        step->n <= MAX_FFT_TABLE ? step->n : 0);
}

void fft_step_begin(FftMachine *m, FftStep *step) {
    fft_length_begin(m, &step->length);
    if (!step->columns) return;
    fft_length_begin(m, &step->row_length);
    if (has_all_turns(step))
        step->turns = constant_turns(m, step);
    else
        make_turns(m, step);
}

int fft_step_run(FftMachine *m, const FftStep *step, LLVMValueRef arrays[2], int from) {
    if (step->columns) {
        run_matrix(m, step, arrays[from], arrays[from ^ 1]);
        return from;
    }
    if (step->stride > 1 || m->width == 1)
        run_columns(m, step, arrays[from], arrays[from ^ 1]);
    else
        run_rows(m, step, arrays[from], arrays[from ^ 1]);
    return from ^ 1;
}
