// reduce, reduce_window, select_and_scatter. A body is run step by step in row-major
// order of the reduced elements, on all results at once. Only the float sums of reduce
// are made in double and rounded once.
#include "ir/eval/eval_internal.h"

#include <string.h>

bool eval_is_float_sum(const Region *region, ElementType element) {
    return element_class(element) == CLASS_FLOAT && region_reduction_op(region) == OP_ADD;
}

static void fill(char *out, int64_t count, size_t size, const void *element) {
    for (int64_t i = 0; i < count; i++)
        memcpy(out + (size_t)i * size, element, size);
}

// What a reduction over `inputs` operands works on: results are accumulators of `kept` elements
// each.
typedef struct Fold {
    Eval *eval;
    const Op *op;
    Body *body;
    int inputs;
    int64_t kept;
    bool is_float_sum;    // inputs == 1; sums holds the accumulator
    double *sums, *terms; // [kept]
    const void **args;    // [2 * inputs]: accumulators, then a row of elements
    void **accumulators;  // [inputs] each [kept]
} Fold;

// Accumulators start as the init values; operands of op: inputs, then inits.
// wide_sums: float sums in double.
static bool fold_start(
    Eval *eval, const Op *op, int inputs, int64_t kept, bool wide_sums, Tensor **results,
    Fold *fold) {
    *fold = (Fold){.eval = eval, .op = op, .inputs = inputs, .kept = kept};
    const Region *region = op->regions[0];
    ElementType element = results[0]->type->element;
    fold->is_float_sum = wide_sums && inputs == 1 && eval_is_float_sum(region, element) &&
                         eval_operand(eval, op, 0)->type->element == element;
    if (region->arg_count != 2 * inputs)
        return eval_fail(eval, op, "has a body with the wrong arguments");
    ElementType *elements = eval_scratch(eval, op, 2 * inputs, sizeof *elements);
    if (!elements) return false;
    for (int i = 0; i < inputs; i++) {
        if (region->args[inputs + i]->type->rank > 0)
            return eval_unsupported(eval, op, "with a body on tensors that are no scalars");
        elements[i] = results[i]->type->element;
        // operands are converted to it
        elements[inputs + i] = region->args[inputs + i]->type->element;
    }
    fold->body = eval_body(eval, op, region, 2 * inputs, elements, inputs, elements);
    if (!fold->body) return false;
    fold->args = eval_scratch(eval, op, 2 * inputs, sizeof *fold->args);
    fold->accumulators = eval_scratch(eval, op, inputs, sizeof *fold->accumulators);
    if (!fold->args || !fold->accumulators) return false;
    for (int i = 0; i < inputs; i++) {
        const Tensor *init = eval_operand(eval, op, inputs + i);
        ElementType kind = results[i]->type->element;
        char converted[16];
        scalar_convert(init->type->element, init->data, kind, converted, 1);
        fill(results[i]->data, kept, element_bytes(kind), converted);
        fold->accumulators[i] = results[i]->data;
        fold->args[i] = results[i]->data;
    }
    if (!fold->is_float_sum) return true;
    fold->sums = eval_scratch(eval, op, kept, sizeof(double));
    fold->terms = eval_scratch(eval, op, kept, sizeof(double));
    if (!fold->sums || !fold->terms) return false;
    scalar_load_real(element, results[0]->data, 1, kept, fold->sums);
    return true;
}

// Folds one row: fold->args[inputs + i] are `kept` elements of input i.
static bool fold_row(Fold *fold, ElementType element) {
    if (!fold->is_float_sum)
        return eval_body_run(
            fold->eval, fold->body, fold->op, fold->kept, fold->args, fold->accumulators);
    scalar_load_real(element, fold->args[1], 1, fold->kept, fold->terms);
    for (int64_t i = 0; i < fold->kept; i++)
        fold->sums[i] += fold->terms[i];
    return true;
}

static void fold_end(Fold *fold, Tensor **results) {
    if (fold->is_float_sum)
        scalar_store_real(results[0]->type->element, fold->sums, fold->kept, results[0]->data);
}

// `count` elements of input i in the type of the body's argument (a body may compute in a wider
// type).
static const void *body_row(Fold *fold, int i, const void *row, int64_t count) {
    ElementType from = op_operand_type(fold->op, i)->element;
    ElementType to = fold->op->regions[0]->args[fold->inputs + i]->type->element;
    if (from == to) return row;
    void *converted = eval_scratch(fold->eval, fold->op, count, element_bytes(to));
    if (converted) scalar_convert(from, row, to, converted, count);
    return converted;
}

// A whole float sum to a scalar: rows of one element would be slow.
static void sum_all(Fold *fold, const char *data, int64_t count, ElementType element) {
    double chunk[256];
    size_t size = element_bytes(element);
    for (int64_t start = 0; start < count; start += 256) {
        int64_t n = count - start < 256 ? count - start : 256;
        scalar_load_real(element, data + (size_t)start * size, 1, n, chunk);
        for (int64_t i = 0; i < n; i++)
            fold->sums[0] += chunk[i];
    }
}

static Tensor **result_tensors(Eval *eval, const Op *op) {
    Tensor **results = eval_scratch(eval, op, op->result_count, sizeof *results);
    for (int i = 0; results && i < op->result_count; i++) {
        results[i] = eval_result_tensor(eval, op, i);
        if (!results[i]) return NULL;
    }
    return results;
}

static void set_results(Eval *eval, const Op *op, Tensor **results) {
    for (int i = 0; i < op->result_count; i++)
        eval_set_result(eval, op, i, results[i]);
}

bool eval_reduce(Eval *eval, const Op *op) {
    int inputs = op->operand_count / 2;
    const Type *type = eval_operand(eval, op, 0)->type;
    IntSpan reduced = op_ints(op, NAME_DIMENSIONS);
    bool is_reduced[MAX_RANK] = {false};
    for (int i = 0; i < reduced.count; i++) {
        if (reduced.data[i] < 0 || reduced.data[i] >= type->rank)
            return eval_fail(eval, op, "reduces a dimension out of range");
        is_reduced[reduced.data[i]] = true;
    }
    int order[MAX_RANK], count = 0;
    int64_t rows = 1, kept = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < type->rank; d++) {
            if (is_reduced[d] != (pass == 0)) continue;
            order[count++] = d;
            *(pass == 0 ? &rows : &kept) *= type->dims[d];
        }
    }
    Tensor **results = result_tensors(eval, op);
    Fold fold;
    if (!results || !fold_start(eval, op, inputs, kept, true, results, &fold)) return false;
    char **ordered = eval_scratch(eval, op, inputs, sizeof *ordered); // [rows, kept]
    // the same as the body takes them
    const void **all = eval_scratch(eval, op, inputs, sizeof *all);
    if (!ordered || !all) return false;
    for (int i = 0; i < inputs; i++) {
        if (!eval_transposed(eval, op, eval_operand(eval, op, i), order, &ordered[i])) return false;
        all[i] = body_row(&fold, i, ordered[i], rows * kept);
        if (!all[i]) return false;
    }
    if (fold.is_float_sum && kept == 1) {
        sum_all(&fold, ordered[0], rows, type->element);
        rows = 0;
    }
    for (int64_t row = 0; row < rows && kept > 0; row++) {
        for (int i = 0; i < inputs; i++) {
            size_t size = element_bytes(op->regions[0]->args[inputs + i]->type->element);
            fold.args[inputs + i] = (const char *)all[i] + (size_t)(row * kept) * size;
        }
        if (!fold_row(&fold, type->element)) return false;
    }
    fold_end(&fold, results);
    set_results(eval, op, results);
    return true;
}

// --- windows ---

typedef struct Window {
    int rank;
    int64_t input[MAX_RANK], output[MAX_RANK];
    int64_t size[MAX_RANK], stride[MAX_RANK], low[MAX_RANK], base_dilation[MAX_RANK],
        dilation[MAX_RANK];
} Window;

static bool read_window(
    Eval *eval, const Op *op, const Type *input, const Type *output, Window *window) {
    int rank = window->rank = input->rank;
    int64_t padding[2 * MAX_RANK];
    eval_ints(op, NAME_WINDOW_DIMENSIONS, rank, 1, window->size);
    eval_ints(op, NAME_WINDOW_STRIDES, rank, 1, window->stride);
    eval_ints(op, NAME_BASE_DILATIONS, rank, 1, window->base_dilation);
    eval_ints(op, NAME_WINDOW_DILATIONS, rank, 1, window->dilation);
    eval_ints(op, NAME_PADDING, 2 * rank, 0, padding);
    for (int d = 0; d < rank; d++) {
        window->input[d] = input->dims[d];
        window->output[d] = output->dims[d];
        window->low[d] = padding[2 * d];
        if (window->size[d] < 1 || window->stride[d] < 1 || window->base_dilation[d] < 1 ||
            window->dilation[d] < 1)
            return eval_fail(eval, op, "has a window size, stride or dilation below one");
    }
    return true;
}

// The input element at window position w of output position o; -1 for padding
// and the gaps of a dilated base.
static int64_t window_place(const Window *window, const int64_t *o, const int64_t *w) {
    int64_t place = 0;
    for (int d = 0; d < window->rank; d++) {
        int64_t at = o[d] * window->stride[d] + w[d] * window->dilation[d] - window->low[d];
        if (at < 0 || at % window->base_dilation[d] != 0) return -1;
        at /= window->base_dilation[d];
        if (at >= window->input[d]) return -1;
        place = place * window->input[d] + at;
    }
    return place;
}

bool eval_reduce_window(Eval *eval, const Op *op) {
    int inputs = op->operand_count / 2;
    Tensor **results = result_tensors(eval, op);
    if (!results) return false;
    Window window;
    if (!read_window(eval, op, eval_operand(eval, op, 0)->type, results[0]->type, &window))
        return false;
    int64_t kept = tensor_count(results[0]);
    Fold fold;
    if (!fold_start(eval, op, inputs, kept, false, results, &fold)) return false;
    assert(fold.args);
    char **rows = eval_scratch(eval, op, inputs, sizeof *rows);
    if (!rows) return false;
    for (int i = 0; i < inputs; i++) {
        rows[i] =
            eval_scratch(eval, op, kept, element_bytes(eval_operand(eval, op, i)->type->element));
        if (!rows[i]) return false;
    }
    int64_t w[MAX_RANK] = {0};
    do { // one window position at a time, for all outputs; padding counts as the init value
        int64_t o[MAX_RANK] = {0};
        for (int64_t k = 0; k < kept; k++, next_index(window.rank, window.output, o)) {
            int64_t place = window_place(&window, o, w);
            for (int i = 0; i < inputs; i++) {
                const Tensor *input = eval_operand(eval, op, i);
                size_t size = element_bytes(input->type->element);
                const char *from = place < 0 ? eval_operand(eval, op, inputs + i)->data
                                             : (const char *)input->data + (size_t)place * size;
                memcpy(rows[i] + (size_t)k * size, from, size);
            }
        }
        int mark = eval_scratch_mark(eval);
        for (int i = 0; i < inputs; i++) {
            fold.args[inputs + i] = body_row(&fold, i, rows[i], kept);
            if (!fold.args[inputs + i]) return false;
        }
        if (kept > 0 && !fold_row(&fold, eval_operand(eval, op, 0)->type->element)) return false;
        eval_scratch_release(eval, mark);
    } while (next_index(window.rank, window.size, w));
    fold_end(&fold, results);
    set_results(eval, op, results);
    return true;
}

// Of each window of the operand the selected element (the first x with select(x, y) for all later
// y) gets the source element added by the scatter body. Padding is never selected.
bool eval_select_and_scatter(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0), *source = eval_operand(eval, op, 1);
    const Tensor *init = eval_operand(eval, op, 2);
    Tensor *result = eval_tensor(eval, op, eval_result_type(eval, op, 0, operand->type));
    Window window;
    if (!result || !read_window(eval, op, operand->type, source->type, &window)) return false;
    size_t size = element_bytes(operand->type->element);
    fill(result->data, tensor_count(result), size, init->data);
    ElementType pair_types[2] = {operand->type->element, operand->type->element}, flag = ELEMENT_I1;
    Body *select = eval_body(eval, op, op->regions[0], 2, pair_types, 1, &flag);
    Body *scatter = eval_body(eval, op, op->regions[1], 2, pair_types, 1, pair_types);
    if (!select || !scatter) return false;
    if (source->type->element != pair_types[0] || init->type->element != pair_types[0] ||
        result->type->element != pair_types[0])
        return eval_unsupported(eval, op, "with mixed element types");
    const char *elements = operand->data;
    int64_t o[MAX_RANK] = {0};
    for (int64_t k = 0; k < tensor_count(source); k++, next_index(window.rank, window.output, o)) {
        int64_t chosen = -1, w[MAX_RANK] = {0};
        do {
            int64_t place = window_place(&window, o, w);
            if (place < 0) continue;
            uint8_t keeps = 1;
            void *out = &keeps;
            const void *pair[2] = {
                elements + (size_t)(chosen < 0 ? place : chosen) * size,
                elements + (size_t)place * size};
            if (chosen >= 0 && !eval_body_run(eval, select, op, 1, pair, &out)) return false;
            if (chosen < 0 || !keeps) chosen = place;
        } while (next_index(window.rank, window.size, w));
        if (chosen < 0) continue;
        void *target = (char *)result->data + (size_t)chosen * size;
        const void *pair[2] = {target, (const char *)source->data + (size_t)k * size};
        if (!eval_body_run(eval, scatter, op, 1, pair, &target)) return false;
    }
    eval_set_result(eval, op, 0, result);
    return true;
}
