// lower_fft: FFT, IFFT, RFFT, IRFFT of any length over the last one to three dimensions, one slice per chunk, in double in the scratch.
//
// Each line is transformed by Stockham passes, one per factor p of its length: with n = p m and s lines side by side,
//     y[q + s (p j + r)] = (sum over t of x[q + s (j + m t)] exp(sign 2 pi i r t / p)) exp(sign 2 pi i j r / n),    then n = m, s = s p.
// Source: Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, 1.7. The cost is n times the sum of the factors.
#include "codegen/emit/lower.h"
#include "codegen/emit/emit_state.h"

#include <math.h>
#include <string.h>

typedef const IndexExpr *Index;

enum { MAX_FFT_DIMS = 3, MAX_FACTORS = 64, MAX_UNROLLED_FACTOR = 5, MAX_ROOT_TABLE = 4096 };

typedef struct Fft {
    const Op *op;
    const Type *from, *to;
    int first, count;         // transformed dimensions: first .. first + count - 1
    int64_t length[MAX_RANK]; // of all dimensions, as transformed
    int64_t slice, slices;    // elements of a slice; slices
    int64_t longest;
    int64_t kind, sign;
    int64_t data_at, line_at[2], roots_at, scratch; // offsets in the scratch
} Fft;

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

static Fft fft_of(const Op *op) {
    Fft f = {
        .op = op,
        .from = op_operand_type(op, 0),
        .to = op_result_type(op, 0),
        .slice = 1,
        .slices = 1,
        .longest = 1};
    IntSpan lengths = op_ints(op, NAME_FFT_LENGTH);
    const Attr *attr = op_attr(op, NAME_FFT_LENGTH);
    f.kind = op_int(op, NAME_FFT_TYPE, FFT_FFT);
    f.sign = f.kind == FFT_FFT || f.kind == FFT_RFFT ? -1 : 1;
    f.count = lengths.count        ? lengths.count
              : attr && attr->type ? (int)type_element_count(attr->type)
                                   : 1; // splats have no ints
    if (f.count < 1) f.count = 1;
    if (f.count > f.from->rank) f.count = f.from->rank;
    f.first = f.from->rank - f.count;
    for (int d = 0; d < f.from->rank; d++) {
        bool is_real_side = f.kind == FFT_RFFT;
        f.length[d] = is_real_side ? f.from->dims[d] : f.to->dims[d];
        if (d < f.first) f.slices *= f.length[d];
        if (d < f.first) continue;
        f.slice *= f.length[d];
        if (f.length[d] > f.longest) f.longest = f.length[d];
    }
    f.data_at = 0;
    f.line_at[0] = 16 * f.slice;
    f.line_at[1] = f.line_at[0] + 16 * f.longest;
    f.roots_at = f.line_at[1] + 16 * f.longest;
    f.scratch = f.roots_at + 16 * f.longest;
    return f;
}

void fft_grid(Kernel *kernel, const Target *target) {
    (void)target;
    Fft f = fft_of(kernel->root);
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 10 * f.slice * f.slices;
    kernel->grid = f.slices > 0 ? f.slices : 1;
    kernel->scratch_bytes = f.scratch;
}

// --- complex numbers in double ---

static Scalar load(Emit *e, LLVMValueRef array, LLVMValueRef at) {
    return emit_private_load(e, ELEMENT_C128, array, at);
}

static void store(Emit *e, LLVMValueRef array, LLVMValueRef at, Scalar x) {
    emit_private_store(e, ELEMENT_C128, array, at, x);
}

static Scalar complex_constant(Emit *e, double re, double im) {
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    return (Scalar){
        .element = ELEMENT_C128, .value = LLVMConstReal(f64, re), .imag = LLVMConstReal(f64, im)};
}

static Scalar times(Emit *e, Scalar x, Scalar y) { return emit_arithmetic(e, OP_MULTIPLY, x, y); }
static Scalar plus(Emit *e, Scalar x, Scalar y) { return emit_arithmetic(e, OP_ADD, x, y); }

// exp(sign 2 pi i k / n)
static void unit_root(int64_t k, int64_t n, int64_t sign, double *re, double *im) {
    double angle = 6.28318530717958647692 * (double)k / (double)n;
    *re = cos(angle);
    *im = (double)sign * sin(angle);
}

// --- roots ---

// All n roots: a table in the module, or computed into the scratch when there are many.
static LLVMValueRef make_roots(Emit *e, const Fft *f, int64_t n) {
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    if (n <= MAX_ROOT_TABLE) {
        LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, 2 * n);
        for (int64_t k = 0; k < n; k++) {
            double re, im;
            unit_root(k, n, f->sign, &re, &im);
            numbers[2 * k] = LLVMConstReal(f64, re);
            numbers[2 * k + 1] = LLVMConstReal(f64, im);
        }
        LLVMTypeRef array = LLVMArrayType2(f64, (uint64_t)(2 * n));
        LLVMValueRef table = LLVMAddGlobal(e->module, array, "roots");
        LLVMSetInitializer(table, LLVMConstArray2(f64, numbers, (uint64_t)(2 * n)));
        LLVMSetGlobalConstant(table, 1);
        LLVMSetLinkage(table, LLVMPrivateLinkage);
        LLVMSetAlignment(table, 64);
        return table;
    }
    LLVMValueRef roots = emit_scratch(e, f->roots_at);
    EmitLoop *loop = emit_loop_constant(e, n, false);
    LLVMValueRef angle = LLVMBuildSIToFP(e->builder, loop->phi, f64, "");
    angle = LLVMBuildFMul(
        e->builder, angle, LLVMConstReal(f64, 6.28318530717958647692 / (double)n), "");
    LLVMValueRef sine = emit_libm(e, "sin", f64, 1, &angle);
    if (f->sign < 0) sine = LLVMBuildFNeg(e->builder, sine, "");
    Scalar root = {
        .element = ELEMENT_C128, .value = emit_libm(e, "cos", f64, 1, &angle), .imag = sine};
    store(e, roots, loop->phi, root);
    emit_loop_end(e, loop);
    return roots;
}

// --- one pass ---

typedef struct Pass {
    const Fft *f;
    LLVMValueRef from, to, roots;
    int64_t total, p, m, s; // n = p m; s lines; total = n s
} Pass;

// sum over t of x[q + s (j + m t)] w_p^(r t), times w_n^(j r), for small p
static void butterfly_unrolled(Emit *e, const Pass *pass, Index q, Index j) {
    Scalar x[MAX_UNROLLED_FACTOR];
    for (int64_t t = 0; t < pass->p; t++) {
        Index at = index_scale(e->index, index_add_constant(e->index, j, pass->m * t), pass->s);
        x[t] = load(e, pass->from, emit_index(e, index_add(e->index, at, q)));
    }
    for (int64_t r = 0; r < pass->p; r++) {
        Scalar sum = x[0];
        for (int64_t t = 1; t < pass->p; t++) {
            double re, im;
            unit_root(r * t % pass->p, pass->p, pass->f->sign, &re, &im);
            sum = plus(e, sum, r == 0 ? x[t] : times(e, x[t], complex_constant(e, re, im)));
        }
        Index root = index_scale(e->index, j, r * pass->s);
        if (r > 0) sum = times(e, sum, load(e, pass->roots, emit_index(e, root)));
        Index to = index_add_constant(e->index, index_scale(e->index, j, pass->p), r);
        to = index_add(e->index, index_scale(e->index, to, pass->s), q);
        store(e, pass->to, emit_index(e, to), sum);
    }
}

static void butterfly_loops(Emit *e, const Pass *pass, Index q, Index j) {
    EmitLoop *r = emit_loop_constant(e, pass->p, false);
    LLVMValueRef sum = emit_local(e, ELEMENT_C128), turn = emit_local(e, ELEMENT_I64);
    emit_local_set(e, sum, complex_constant(e, 0, 0));
    LLVMBuildStore(e->builder, number(e, 0), turn);
    EmitLoop *t = emit_loop_constant(e, pass->p, false);
    Index at = index_add(e->index, index_scale(e->index, t->index, pass->m), j);
    Scalar x = load(
        e, pass->from, emit_index(e, index_add(e->index, index_scale(e->index, at, pass->s), q)));
    LLVMValueRef k = LLVMBuildLoad2(e->builder, emit_i64(e), turn, ""); // r t mod p
    LLVMValueRef root_at = LLVMBuildMul(e->builder, k, number(e, pass->total / pass->p), "");
    Scalar product = times(e, x, load(e, pass->roots, root_at));
    emit_local_set(e, sum, plus(e, emit_local_get(e, sum, ELEMENT_C128), product));
    LLVMValueRef next = LLVMBuildAdd(e->builder, k, r->phi, "");
    LLVMValueRef wraps = LLVMBuildICmp(e->builder, LLVMIntSGE, next, number(e, pass->p), "");
    next = LLVMBuildSelect(
        e->builder, wraps, LLVMBuildSub(e->builder, next, number(e, pass->p), ""), next, "");
    LLVMBuildStore(e->builder, next, turn);
    emit_loop_end(e, t);
    LLVMValueRef twiddle = LLVMBuildMul(
        e->builder, LLVMBuildMul(e->builder, emit_index(e, j), r->phi, ""), number(e, pass->s), "");
    Scalar y = times(e, emit_local_get(e, sum, ELEMENT_C128), load(e, pass->roots, twiddle));
    Index to = index_add(e->index, index_scale(e->index, j, pass->p), r->index);
    store(
        e, pass->to, emit_index(e, index_add(e->index, index_scale(e->index, to, pass->s), q)), y);
    emit_loop_end(e, r);
}

static void emit_pass(Emit *e, const Pass *pass) {
    EmitLoop *j = emit_loop_constant(e, pass->m, true);
    EmitLoop *q = emit_loop_constant(e, pass->s, true);
    if (pass->p <= MAX_UNROLLED_FACTOR)
        butterfly_unrolled(e, pass, q->index, j->index);
    else
        butterfly_loops(e, pass, q->index, j->index);
    emit_loop_end(e, q);
    emit_loop_end(e, j);
}

// Factors of n: fours, then primes.
static int factors_of(int64_t n, int64_t *factors) {
    int count = 0;
    while (n % 4 == 0) {
        factors[count++] = 4;
        n /= 4;
    }
    for (int64_t p = 2; n > 1; p++) {
        if (p * p > n) p = n;
        for (; n % p == 0; n /= p)
            factors[count++] = p;
    }
    return count;
}

// --- slices ---

// Row-major number of an index of the slice, with another size of the last dimension.
static Index slice_number(Emit *e, const Fft *f, const Index *at) {
    return index_linear(e->index, f->count, &f->length[f->first], &at[f->first]);
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

static void load_slice(Emit *e, const Fft *f, Index *at) {
    EmitLoop *loops[MAX_RANK] = {NULL};
    LLVMValueRef data = emit_scratch(e, f->data_at);
    const Value *operand = op_operand(f->op, 0);
    int count = slice_loops(e, f, f->from->dims, at, loops);
    Scalar x = emit_convert(e, emit_element(e, operand, at), ELEMENT_C128);
    if (!e->failed) store(e, data, emit_index(e, slice_number(e, f, at)), x);
    end_loops(e, loops, count);
    int last = f->from->rank - 1;
    int64_t known = f->from->dims[last], n = f->length[last];
    if (f->kind != FFT_IRFFT || known >= n || e->failed) return;
    // The other half: X[-k] = conj X[k] in all transformed dimensions.
    int64_t dims[MAX_RANK];
    memcpy(dims, f->length, sizeof dims);
    dims[last] = n - known;
    count = slice_loops(e, f, dims, at, loops);
    Index from[MAX_RANK];
    for (int d = f->first; d < last; d++) { // (n - i) mod n
        Index minus = index_sub(e->index, index_constant(e->index, f->length[d]), at[d]);
        from[d] = index_mod(e->index, minus, f->length[d]);
    }
    at[last] = index_add_constant(e->index, at[last], known);
    from[last] = index_sub(e->index, index_constant(e->index, n), at[last]);
    x = load(e, data, emit_index(e, slice_number(e, f, from)));
    x.imag = LLVMBuildFNeg(e->builder, x.imag, "");
    store(e, data, emit_index(e, slice_number(e, f, at)), x);
    end_loops(e, loops, count);
}

static void store_slice(Emit *e, const Fft *f, Index *at) {
    EmitLoop *loops[MAX_RANK] = {NULL};
    const Value *output = op_result(f->op, 0);
    int count = slice_loops(e, f, f->to->dims, at, loops);
    Scalar x = load(e, emit_scratch(e, f->data_at), emit_index(e, slice_number(e, f, at)));
    emit_store(e, output, emit_address(e, output, at), emit_convert(e, x, f->to->element));
    end_loops(e, loops, count);
}

static void scale_line(Emit *e, Scalar *x, int64_t n) {
    LLVMValueRef factor = LLVMConstReal(LLVMDoubleTypeInContext(e->context), (double)n);
    x->value = LLVMBuildFDiv(e->builder, x->value, factor, "");
    x->imag = LLVMBuildFDiv(e->builder, x->imag, factor, "");
}

// Transforms all lines of the slice along dimension d.
static void transform_dimension(Emit *e, const Fft *f, int d) {
    int64_t n = f->length[d], stride = 1, factors[MAX_FACTORS];
    for (int k = d + 1; k < f->from->rank; k++)
        stride *= f->length[k];
    LLVMValueRef data = emit_scratch(e, f->data_at), roots = make_roots(e, f, n);
    EmitLoop *line = emit_loop_constant(e, f->slice / n, false);
    // The line's first element: (line / stride) * n * stride + line mod stride
    Index start = index_scale(e->index, index_div(e->index, line->index, stride), n * stride);
    start = index_add(e->index, start, index_mod(e->index, line->index, stride));
    LLVMValueRef buffers[2] = {emit_scratch(e, f->line_at[0]), emit_scratch(e, f->line_at[1])};
    EmitLoop *copy = emit_loop_constant(e, n, true);
    Index place = index_add(e->index, start, index_scale(e->index, copy->index, stride));
    store(e, buffers[0], copy->phi, load(e, data, emit_index(e, place)));
    emit_loop_end(e, copy);
    int count = factors_of(n, factors);
    Pass pass = {.f = f, .roots = roots, .total = n, .m = n, .s = 1};
    for (int k = 0; k < count; k++) {
        pass.from = buffers[k & 1];
        pass.to = buffers[(k + 1) & 1];
        pass.p = factors[k];
        pass.m /= pass.p;
        emit_pass(e, &pass);
        pass.s *= pass.p;
    }
    copy = emit_loop_constant(e, n, true);
    Scalar x = load(e, buffers[count & 1], copy->phi);
    if (f->sign > 0) scale_line(e, &x, n);
    place = index_add(e->index, start, index_scale(e->index, copy->index, stride));
    store(e, data, emit_index(e, place), x);
    emit_loop_end(e, copy);
    emit_loop_end(e, line);
}

bool fft_emit(Emit *e) {
    Fft *f = ARENA_NEW(e->arena, Fft);
    *f = fft_of(e->kernel->root);
    if (f->slice == 0 || f->slices == 0 || type_element_count(f->from) == 0) return true;
    EmitLoop *chunk = emit_chunk_loop(e);
    Index at[MAX_RANK];
    index_delinear(e->index, chunk->index, f->first, f->length, at);
    load_slice(e, f, at);
    for (int d = f->first; d < f->from->rank && !e->failed; d++)
        transform_dimension(e, f, d);
    if (!e->failed) store_slice(e, f, at);
    emit_loop_end(e, chunk);
    return !e->failed;
}
