// sort and chlo.top_k: stable merge sorts of index lists.
#include "ir/eval/eval_internal.h"

#include <math.h>
#include <string.h>

// How two positions of a slice are ordered: by the comparator, or directly when it is a plain
// compare of the two elements of one operand.
typedef struct Order {
    Eval *eval;
    const Op *op;
    Body *body;
    int inputs;
    char **slices;           // [inputs] one slice each, contiguous
    const void **args;       // [2 * inputs]
    const double *keys;      // direct order by numbers, ascending or descending; NULL: use the body
    const int64_t *int_keys; // the same for integers
    bool is_descending;
} Order;

// Does position a come before position b? *failed is set after a diagnostic.
static bool comes_before(const Order *order, int64_t a, int64_t b, bool *failed) {
    if (order->keys)
        return order->is_descending ? order->keys[a] > order->keys[b]
                                    : order->keys[a] < order->keys[b];
    if (order->int_keys) {
        int64_t x = order->int_keys[a], y = order->int_keys[b];
        return order->is_descending ? x > y : x < y;
    }
    for (int i = 0; i < order->inputs; i++) {
        size_t size = element_bytes(op_operand_type(order->op, i)->element);
        order->args[2 * i] = order->slices[i] + (size_t)a * size;
        order->args[2 * i + 1] = order->slices[i] + (size_t)b * size;
    }
    uint8_t result = 0;
    void *out = &result;
    if (!eval_body_run(order->eval, order->body, order->op, 1, order->args, &out)) *failed = true;
    return result & 1;
}

// Bottom-up merge sort; both arrays have `count` places, the result is in `list`.
static bool merge_sort(const Order *order, int64_t count, int64_t *list, int64_t *spare) {
    bool failed = false;
    for (int64_t width = 1; width < count && !failed; width *= 2) {
        for (int64_t start = 0; start < count; start += 2 * width) {
            int64_t middle = start + width < count ? start + width : count;
            int64_t end = middle + width < count ? middle + width : count;
            int64_t a = start, b = middle;
            for (int64_t k = start; k < end; k++) {
                bool takes_right =
                    a >= middle || (b < end && comes_before(order, list[b], list[a], &failed));
                spare[k] = takes_right ? list[b++] : list[a++];
            }
        }
        memcpy(list, spare, (size_t)count * sizeof *list);
    }
    return !failed;
}

// The operand whose two elements the comparator compares with LT or GT and
// nothing else; -1 when it is not so.
static int plain_key(const Op *op, bool *is_descending) {
    const Region *region = op->regions[0];
    const Op *compare = region->first, *terminator = region_terminator(region);
    if (!compare || compare->code != OP_COMPARE || compare->next != terminator ||
        terminator->operand_count != 1 || op_operand(terminator, 0) != op_result(compare, 0))
        return -1;
    int64_t direction = op_int(compare, NAME_COMPARISON_DIRECTION, 0);
    if (op_int(compare, NAME_COMPARE_TYPE, 0) == COMPARE_TOTALORDER) return -1;
    if (direction != DIRECTION_LT && direction != DIRECTION_GT) return -1;
    const Value *x = op_operand(compare, 0), *y = op_operand(compare, 1);
    if (x->region != region || y->region != region || x->index / 2 != y->index / 2) return -1;
    if (x->index == y->index || element_class(x->type->element) == CLASS_COMPLEX) return -1;
    *is_descending = (direction == DIRECTION_GT) != (x->index > y->index);
    return x->index / 2;
}

static bool load_keys(Eval *eval, Order *order, int operand, int64_t count) {
    ElementType element = op_operand_type(order->op, operand)->element;
    if (element_class(element) == CLASS_FLOAT) {
        double *keys = eval_scratch(eval, order->op, count, sizeof *keys);
        if (!keys) return false;
        scalar_load_real(element, order->slices[operand], 1, count, keys);
        order->keys = keys;
        return true;
    }
    int64_t *keys = eval_scratch(eval, order->op, count, sizeof *keys);
    if (!keys) return false;
    scalar_load_int(element, order->slices[operand], 1, count, keys);
    if (element == ELEMENT_UI64) {
        for (int64_t i = 0; i < count; i++)
            keys[i] = (int64_t)((uint64_t)keys[i] ^ ((uint64_t)1 << 63));
    }
    order->int_keys = keys;
    return true;
}

// Sorts the slice that starts at element `start` with `stride` between its elements.
static bool sort_slice(
    Eval *eval, Order *order, Tensor **results, int64_t start, int64_t stride, int64_t count,
    int key) {
    const Op *op = order->op;
    int64_t *list = eval_scratch(eval, op, count, sizeof *list);
    int64_t *spare = eval_scratch(eval, op, count, sizeof *spare);
    if (!list || !spare) return false;
    for (int i = 0; i < order->inputs; i++) {
        const Tensor *operand = eval_operand(eval, op, i);
        size_t size = element_bytes(operand->type->element);
        int64_t one = 1;
        order->slices[i] = eval_scratch(eval, op, count, size);
        if (!order->slices[i]) return false;
        copy_strided(
            1, &count, size, order->slices[i], &one,
            (const char *)operand->data + (size_t)start * size, &stride);
    }
    for (int64_t k = 0; k < count; k++)
        list[k] = k;
    order->keys = NULL;
    order->int_keys = NULL;
    if (key >= 0 && !load_keys(eval, order, key, count)) return false;
    if (!merge_sort(order, count, list, spare)) return false;
    for (int i = 0; i < order->inputs; i++) {
        size_t size = element_bytes(results[i]->type->element);
        char *out = (char *)results[i]->data + (size_t)start * size;
        for (int64_t k = 0; k < count; k++)
            memcpy(
                out + (size_t)(k * stride) * size, order->slices[i] + (size_t)list[k] * size, size);
    }
    return true;
}

bool eval_sort(Eval *eval, const Op *op) {
    int inputs = op->operand_count;
    const Type *type = eval_operand(eval, op, 0)->type;
    int64_t dimension = op_int(op, NAME_DIMENSION, -1);
    if (dimension < 0) dimension += type->rank;
    if (type->rank == 0) return eval_identity(eval, op);
    if (dimension < 0 || dimension >= type->rank)
        return eval_fail(eval, op, "has a dimension out of range");
    Tensor **results = eval_scratch(eval, op, inputs, sizeof *results);
    ElementType *elements = eval_scratch(eval, op, 2 * inputs, sizeof *elements), flag = ELEMENT_I1;
    for (int i = 0; elements && i < inputs; i++)
        elements[2 * i] = elements[2 * i + 1] = eval_operand(eval, op, i)->type->element;
    Order order = {.eval = eval, .op = op, .inputs = inputs};
    order.body =
        elements ? eval_body(eval, op, op->regions[0], 2 * inputs, elements, 1, &flag) : NULL;
    if (!order.body) return false;
    order.slices = eval_scratch(eval, op, inputs, sizeof *order.slices);
    order.args = eval_scratch(eval, op, 2 * inputs, sizeof *order.args);
    if (!results || !order.slices || !order.args) return false;
    for (int i = 0; i < inputs; i++) {
        results[i] = eval_tensor(eval, op, eval_operand(eval, op, i)->type);
        if (!results[i]) return false;
    }
    int key = plain_key(op, &order.is_descending);
    int64_t strides[MAX_RANK], dims[MAX_RANK], index[MAX_RANK] = {0};
    row_major_strides(type->rank, type->dims, strides);
    for (int d = 0; d < type->rank; d++)
        dims[d] = d == dimension ? 1 : type->dims[d];
    if (tensor_count(results[0]) > 0) {
        do {
            int64_t start = 0;
            for (int d = 0; d < type->rank; d++)
                start += index[d] * strides[d];
            int mark = eval_scratch_mark(eval);
            if (!sort_slice(
                    eval, &order, results, start, strides[dimension], type->dims[dimension], key))
                return false;
            eval_scratch_release(eval, mark);
        } while (next_index(type->rank, dims, index));
    }
    for (int i = 0; i < inputs; i++)
        eval_set_result(eval, op, i, results[i]);
    return true;
}

// Largest first, in the total order of floats with NaN on top; the first of equal elements first.
bool eval_top_k(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    const Type *type = operand->type;
    bool is_largest = op_int(op, NAME_LARGEST, 1) != 0;
    int64_t k_count = op_int(op, NAME_K, 0);
    int64_t count = type->rank ? type->dims[type->rank - 1] : 1;
    if (k_count < 0 || k_count > count)
        return eval_fail(eval, op, "asks for more elements than there are");
    Type like = *type;
    if (like.rank) like.dims[like.rank - 1] = k_count;
    Tensor *values = eval_tensor(eval, op, eval_result_type(eval, op, 0, &like));
    Tensor *places = eval_tensor(eval, op, eval_result_type(eval, op, 1, &like));
    int64_t *list = eval_scratch(eval, op, count, sizeof *list);
    int64_t *spare = eval_scratch(eval, op, count, sizeof *spare);
    char *slice = eval_scratch(eval, op, count, element_bytes(type->element));
    int64_t *keys = eval_scratch(eval, op, count, sizeof *keys);
    if (!values || !places || !list || !spare || !slice || !keys) return false;
    size_t size = element_bytes(type->element), place_size = element_bytes(places->type->element);
    Order order = {.eval = eval, .op = op, .int_keys = keys, .is_descending = is_largest};
    int64_t rows = count ? tensor_count(operand) / count : 0;
    for (int64_t row = 0; row < rows; row++) {
        const char *data = (const char *)operand->data + (size_t)(row * count) * size;
        bool is_float = element_is_float(type->element);
        if (!is_float) scalar_load_int(type->element, data, 1, count, keys);
        for (int64_t i = 0; i < count; i++) {
            list[i] = i;
            if (!is_float) {
                if (type->element == ELEMENT_UI64)
                    keys[i] = (int64_t)((uint64_t)keys[i] ^ ((uint64_t)1 << 63));
                continue;
            }
            keys[i] = scalar_total_order_key(type->element, data + (size_t)i * size);
        }
        if (!merge_sort(&order, count, list, spare)) return false;
        for (int64_t i = 0; i < k_count; i++) {
            size_t at = (size_t)(row * k_count + i);
            memcpy((char *)values->data + at * size, data + (size_t)list[i] * size, size);
            scalar_store_int(
                places->type->element, &list[i], 1, (char *)places->data + at * place_size);
        }
    }
    eval_set_result(eval, op, 0, values);
    eval_set_result(eval, op, 1, places);
    return true;
}
