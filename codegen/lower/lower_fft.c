// lower_fft: FFT, IFFT, RFFT, IRFFT of any length over the last one to three dimensions, in the
// arithmetic of the element type. A chunk copies one slice, or as many short lines as a vector has
// lanes, into the scratch, transforms dimension by dimension (fft_lines.h), and writes the result.
// Real lines of even length are pairs of numbers, as they lie in memory (fft_real.h).
#include "codegen/emit/lower.h"
#include "codegen/lower/fft_lines.h"
#include "codegen/lower/fft_real.h"

#include <string.h>

typedef const IndexExpr *Index;

enum { MAX_BUFFERS = 8 << 20 }; // bytes, for which all lanes are used even if few have a line

// A slice as it lies in the scratch before or after the transforms.
typedef struct Shape {
    ElementType element;
    int64_t dims[MAX_RANK]; // of all dimensions
    int64_t slice;          // elements
} Shape;

typedef struct Fft {
    const Op *op;
    const Type *from, *to;
    int first, count;         // transformed dimensions: first .. first + count - 1
    int64_t length[MAX_RANK]; // of all dimensions, as transformed
    int64_t slice, slices;    // elements of a slice; slices
    int64_t held;             // slices of a chunk
    bool is_half;             // lines of the last dimension are pairs of numbers
    FftReal real_line;
    int64_t row; // complex numbers of a line of the last dimension, for other dimensions
    Shape loaded, stored;
    int64_t kind, sign;
    ElementType real, element;                 // in which it is computed: f32, c64 or f64, c128
    int width;                                 // lanes
    FftStep steps[MAX_RANK];                   // of dimension first + i
    int64_t data_at[2], buffer_at[2], scratch; // offsets in the scratch
} Fft;

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static void find_shape(Fft *f) {
    const Op *op = f->op;
    IntSpan lengths = op_ints(op, NAME_FFT_LENGTH);
    const Attr *attr = op_attr(op, NAME_FFT_LENGTH);
    f->kind = op_int(op, NAME_FFT_TYPE, FFT_FFT);
    f->sign = f->kind == FFT_FFT || f->kind == FFT_RFFT ? -1 : 1;
    f->count = lengths.count        ? lengths.count
               : attr && attr->type ? (int)type_element_count(attr->type)
                                    : 1; // splats have no ints
    if (f->count < 1) f->count = 1;
    if (f->count > f->from->rank) f->count = f->from->rank;
    f->first = f->from->rank - f->count;
    for (int d = 0; d < f->from->rank; d++) {
        bool is_real_side = f->kind == FFT_RFFT;
        f->length[d] = is_real_side ? f->from->dims[d] : f->to->dims[d];
        *(d < f->first ? &f->slices : &f->slice) *= f->length[d];
    }
    const Type *complex_side = f->kind == FFT_RFFT ? f->to : f->from;
    f->element = complex_side->element;
    f->real = f->element == ELEMENT_C128 ? ELEMENT_F64 : ELEMENT_F32;
}

// The slice's lines along the last dimension.
static int64_t line_count(const Fft *f) { return f->slice / f->length[f->from->rank - 1]; }

// The steps, and the longest transform; of short lines, as many at once as there are lanes.
static int64_t plan_steps(Fft *f) {
    int last = f->from->rank - 1;
    int64_t stride = 1, outer = f->slice, rows = 0, unused = 0;
    bool is_real = f->kind == FFT_RFFT || f->kind == FFT_IRFFT;
    f->held = 1;
    f->is_half = is_real && fft_real_fits(f->length[last], f->width);
    f->row = f->is_half ? f->length[last] / 2 + 1 : f->length[last];
    for (int d = last; d >= f->first; d--) {
        bool is_pairs = f->is_half && d == last;
        FftStep *step = &f->steps[d - f->first];
        outer /= f->length[d];
        *step = fft_step_of(outer, is_pairs ? f->length[d] / 2 : f->length[d], stride, f->width);
        if (f->count == 1 && !step->columns && f->slices > 1)
            f->held = step->outer = f->slices < f->width ? f->slices : f->width;
        fft_step_place(step, f->width, 0, &unused);
        if (fft_step_rows(step) > rows) rows = fft_step_rows(step);
        stride *= d == last ? f->row : f->length[d];
    }
    return rows;
}

static Shape shape_of(const Fft *f, bool is_real, int64_t row) {
    int last = f->from->rank - 1;
    Shape shape = {.element = is_real ? f->real : f->element, .slice = line_count(f) * row};
    memcpy(shape.dims, f->length, sizeof shape.dims);
    shape.dims[last] = row;
    return shape;
}

// What is loaded and stored: pairs of numbers as the real numbers that they are.
static void find_shapes(Fft *f) {
    int64_t n = f->length[f->from->rank - 1];
    bool loads_pairs = f->is_half && f->kind == FFT_RFFT;
    bool stores_pairs = f->is_half && f->kind == FFT_IRFFT;
    f->loaded = shape_of(f, loads_pairs, loads_pairs ? n : f->row);
    f->stored = shape_of(f, stores_pairs, stores_pairs ? n : f->row);
    f->real_line.n = n;
}

static Fft fft_of(const Op *op, const Target *target) {
    Fft f = {
        .op = op,
        .from = op_operand_type(op, 0),
        .to = op_result_type(op, 0),
        .slice = 1,
        .slices = 1};
    find_shape(&f);
    if (f.slice == 0 || f.slices == 0) return f;
    int64_t bytes = (int64_t)element_bytes(f.real);
    f.width = target->vector_bits / element_bits(f.real);
    if (f.width < 1) f.width = 1;
    int64_t rows = plan_steps(&f);
    if (4 * bytes * f.width * rows > MAX_BUFFERS && f.slice / rows * f.slices < f.width) {
        f.width = 1;
        rows = plan_steps(&f);
    }
    find_shapes(&f);
    int64_t data = 2 * bytes * (f.held * line_count(&f) * f.row + f.width);
    int64_t buffer = 2 * bytes * f.width * (rows + f.width);
    f.scratch = 0;
    for (int i = 0; i < 2; i++) {
        f.data_at[i] = f.scratch;
        f.buffer_at[i] = f.scratch + (data + 63) / 64 * 64;
        f.scratch = f.buffer_at[i] + (buffer + 63) / 64 * 64;
    }
    for (int i = 0; i < f.count; i++)
        fft_step_place(&f.steps[i], f.width, bytes, &f.scratch);
    if (f.is_half) fft_real_place(&f.real_line, bytes, &f.scratch);
    return f;
}

void fft_grid(Kernel *kernel, const Target *target) {
    Fft f = fft_of(kernel->root, target);
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 10 * f.slice * f.slices;
    kernel->grid = f.held > 0 ? (f.slices + f.held - 1) / f.held : 1;
    kernel->scratch_bytes = f.scratch;
}

// Rows of the last dimension lie in memory as the scratch holds them.
static bool has_plain_rows(const Emit *e, const Shape *shape, const Value *value) {
    int k = kernel_operand(e->kernel, value), last = value->type->rank - 1;
    if (k < 0 || value->type->element != shape->element) return false;
    const KernelOperand *operand = k < e->kernel->output_count
                                       ? &e->kernel->outputs[k]
                                       : &e->kernel->inputs[k - e->kernel->output_count];
    return !operand->is_remote && !operand->made && operand->buffer->strides[last] == 1;
}

static Scalar load(Emit *e, const Shape *shape, LLVMValueRef array, LLVMValueRef at) {
    return emit_private_load(e, shape->element, array, at);
}

static void store(Emit *e, const Shape *shape, LLVMValueRef array, LLVMValueRef at, Scalar x) {
    emit_private_store(e, shape->element, array, at, x);
}

// --- slices ---

// A slice of the chunk: its number among those that the chunk holds, and the array that holds them.
typedef struct Held {
    Index number;
    LLVMValueRef array;
} Held;

// Place of an index of the slice in the array.
static LLVMValueRef place_of(
    Emit *e, const Fft *f, const Shape *shape, const Held *held, Index *at) {
    Index in_slice = index_linear(e->index, f->count, &shape->dims[f->first], &at[f->first]);
    return emit_index(
        e, index_add(e->index, index_scale(e->index, held->number, shape->slice), in_slice));
}

static int slice_loops(Emit *e, const Fft *f, const int64_t *dims, Index *at, EmitLoop **loops) {
    for (int k = 0; k < f->count; k++) {
        loops[k] = emit_loop_constant(e, dims[f->first + k], k + 1 == f->count);
        at[f->first + k] = loops[k]->index;
    }
    return f->count;
}

static void end_loops(Emit *e, EmitLoop **loops, int count) {
    for (int k = count - 1; k >= 0; k--)
        emit_loop_end(e, loops[k]);
}

// Rows as they are, between the array and a value in memory.
static void copy_rows(
    Emit *e, const Fft *f, const Held *held, const Value *value, Index *at, bool is_load) {
    const Shape *shape = is_load ? &f->loaded : &f->stored;
    EmitLoop *loops[MAX_RANK] = {NULL};
    int last = value->type->rank - 1, count = f->count - 1;
    for (int k = 0; k < count; k++) {
        loops[k] = emit_loop_constant(e, f->length[f->first + k], false);
        at[f->first + k] = loops[k]->index;
    }
    at[last] = index_constant(e->index, 0);
    unsigned size = (unsigned)element_bytes(shape->element);
    unsigned alignment = (unsigned)element_bytes(f->real);
    LLVMValueRef place = place_of(e, f, shape, held, at);
    LLVMValueRef inner = LLVMBuildInBoundsGEP2(
        e->builder, emit_memory_type(e, shape->element), held->array, &place, 1, "");
    LLVMValueRef outer = emit_address(e, value, at);
    LLVMBuildMemCpy(
        e->builder, is_load ? inner : outer, alignment, is_load ? outer : inner, alignment,
        number(e, value->type->dims[last] * size));
    end_loops(e, loops, count);
}

static void load_elements(Emit *e, const Fft *f, const Held *held, Index *at) {
    EmitLoop *loops[MAX_RANK] = {NULL};
    const Value *operand = op_operand(f->op, 0);
    int count = slice_loops(e, f, f->from->dims, at, loops);
    const Shape *shape = &f->loaded;
    Scalar x = emit_convert(e, emit_element(e, operand, at), shape->element);
    if (!e->failed) store(e, shape, held->array, place_of(e, f, shape, held, at), x);
    end_loops(e, loops, count);
}

static void load_slice(Emit *e, const Fft *f, const Held *held, Index *at) {
    const Shape *shape = &f->loaded;
    if (has_plain_rows(e, shape, op_operand(f->op, 0)))
        copy_rows(e, f, held, op_operand(f->op, 0), at, true);
    else
        load_elements(e, f, held, at);
    int last = f->from->rank - 1;
    int64_t known = f->from->dims[last], n = f->length[last];
    if (f->kind != FFT_IRFFT || f->is_half || known >= n || e->failed) return;
    // The other half: X[-k] = conj X[k] in all transformed dimensions.
    int64_t dims[MAX_RANK];
    memcpy(dims, f->length, sizeof dims);
    dims[last] = n - known;
    EmitLoop *loops[MAX_RANK] = {NULL};
    int count = slice_loops(e, f, dims, at, loops);
    Index from[MAX_RANK];
    for (int d = f->first; d < last; d++) { // (n - i) mod n
        Index minus = index_sub(e->index, index_constant(e->index, f->length[d]), at[d]);
        from[d] = index_mod(e->index, minus, f->length[d]);
    }
    at[last] = index_add_constant(e->index, at[last], known);
    from[last] = index_sub(e->index, index_constant(e->index, n), at[last]);
    Scalar x = load(e, shape, held->array, place_of(e, f, shape, held, from));
    x.imag = LLVMBuildFNeg(e->builder, x.imag, "");
    store(e, shape, held->array, place_of(e, f, shape, held, at), x);
    end_loops(e, loops, count);
}

static void store_slice(Emit *e, const Fft *f, const Held *held, Index *at) {
    const Value *output = op_result(f->op, 0);
    const Shape *shape = &f->stored;
    if (has_plain_rows(e, shape, output)) {
        copy_rows(e, f, held, output, at, false);
        return;
    }
    EmitLoop *loops[MAX_RANK] = {NULL};
    int count = slice_loops(e, f, f->to->dims, at, loops);
    Scalar x = load(e, shape, held->array, place_of(e, f, shape, held, at));
    emit_store(e, output, emit_address(e, output, at), emit_convert(e, x, f->to->element));
    end_loops(e, loops, count);
}

typedef void SliceFn(Emit *e, const Fft *f, const Held *held, Index *at);

static void for_each_slice(
    Emit *e, const Fft *f, LLVMValueRef first, LLVMValueRef array, SliceFn *fn) {
    LLVMValueRef both[2] = {
        LLVMBuildNSWAdd(e->builder, first, number(e, f->held), ""), number(e, f->slices)};
    LLVMValueRef stop = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
    EmitLoop *slice = emit_loop_begin(e, first, stop, 1, f->slices, false);
    LLVMValueRef in_chunk = LLVMBuildNSWSub(e->builder, slice->phi, first, "");
    Held held = {emit_variable(e, in_chunk, f->held), array};
    Index at[MAX_RANK];
    index_delinear(e->index, slice->index, f->first, f->length, at);
    fn(e, f, &held, at);
    emit_loop_end(e, slice);
}

static FftMachine machine_of(Emit *e, const Fft *f) {
    FftMachine m = {.e = e, .real = f->real, .width = f->width, .sign = f->sign};
    m.number = emit_register_type(e, f->real);
    m.vector = LLVMVectorType(m.number, (unsigned)f->width);
    for (int i = 0; i < 2; i++)
        m.buffers[i] = emit_scratch(e, f->buffer_at[i]);
    return m;
}

// One line per chunk, from memory to memory.
static void transform_line(Emit *e, const Fft *f, FftMachine *m, Index line, LLVMValueRef data) {
    Index at[MAX_RANK];
    index_delinear(e->index, line, f->first, f->length, at);
    at[f->first] = index_constant(e->index, 0);
    LLVMValueRef from = emit_address(e, op_operand(f->op, 0), at);
    fft_line_run(m, &f->steps[0], from, data, emit_address(e, op_result(f->op, 0), at));
}

// All lines of the last dimension between pairs and real lines' transforms.
static int combine_lines(FftMachine *m, const Fft *f, LLVMValueRef *data, int at) {
    Emit *e = m->e;
    int64_t from = f->kind == FFT_RFFT ? f->row - 1 : f->row;
    int64_t to = f->kind == FFT_RFFT ? f->row : f->row - 1;
    EmitLoop *line = emit_loop_constant(e, f->held * line_count(f), false);
    fft_real_line(
        m, &f->real_line, data[at], LLVMBuildNSWMul(e->builder, line->phi, number(e, from), ""),
        data[at ^ 1], LLVMBuildNSWMul(e->builder, line->phi, number(e, to), ""));
    emit_loop_end(e, line);
    return at ^ 1;
}

// Returns the number of the array that has the result.
static int transform(FftMachine *m, const Fft *f, LLVMValueRef *data) {
    int at = 0, others = f->is_half ? f->count - 1 : f->count;
    if (f->is_half && f->kind == FFT_RFFT) {
        at = fft_step_run(m, &f->steps[others], data, at);
        at = combine_lines(m, f, data, at);
    }
    for (int i = 0; i < others; i++)
        at = fft_step_run(m, &f->steps[i], data, at);
    if (f->is_half && f->kind == FFT_IRFFT) {
        at = combine_lines(m, f, data, at);
        at = fft_step_run(m, &f->steps[others], data, at);
    }
    return at;
}

static void transform_slices(
    Emit *e, const Fft *f, FftMachine *m, EmitLoop *chunk, LLVMValueRef *data) {
    LLVMValueRef first = LLVMBuildNSWMul(e->builder, chunk->phi, number(e, f->held), "");
    for_each_slice(e, f, first, data[0], load_slice);
    int at = transform(m, f, data);
    if (!e->failed) for_each_slice(e, f, first, data[at], store_slice);
}

bool fft_emit(Emit *e) {
    Fft *f = ARENA_NEW(e->arena, Fft);
    *f = fft_of(e->kernel->root, e->target);
    if (f->slice == 0 || f->slices == 0 || type_element_count(f->from) == 0) return true;
    FftMachine m = machine_of(e, f);
    LLVMValueRef data[2] = {emit_scratch(e, f->data_at[0]), emit_scratch(e, f->data_at[1])};
    if (f->sign > 0) f->steps[0].scale = (f->is_half ? 2 : 1) / (double)f->slice;
    for (int i = 0; i < f->count; i++)
        fft_step_begin(&m, &f->steps[i]);
    if (f->is_half) fft_real_begin(&m, &f->real_line);
    bool is_line = f->count == 1 && f->steps[0].columns && f->from == f->to &&
                   has_plain_rows(e, &f->loaded, op_operand(f->op, 0)) &&
                   has_plain_rows(e, &f->stored, op_result(f->op, 0));
    EmitLoop *chunk = emit_chunk_loop(e);
    if (is_line)
        transform_line(e, f, &m, chunk->index, data[0]);
    else
        transform_slices(e, f, &m, chunk, data);
    emit_loop_end(e, chunk);
    return !e->failed;
}
