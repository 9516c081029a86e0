// loops: what stays the same in a loop, and how often it goes round.
#include "ir/analysis/loops.h"

Value *loop_value_before(const Op *loop, Value *value) {
    Region *region = value_region(value);
    bool inside = region == loop->regions[0] || region == loop->regions[1];
    if (!inside) return value;
    if (!value->region) return NULL;
    const Op *end = region_terminator(loop->regions[1]);
    bool stays = op_operand(end, value->index) == loop->regions[1]->args[value->index];
    return stays ? op_operand(loop, value->index) : NULL;
}

// ---- steps ----

static bool constant_int(const Value *value, int64_t *number) {
    const Op *def = value->def;
    if (!def || (def->code != OP_CONSTANT && def->code != OP_SDY_CONSTANT)) return false;
    const Attr *elements = op_attr(def, NAME_VALUE);
    if (!elements || elements->kind != ATTR_ELEMENTS || value->type->rank != 0) return false;
    if (!element_is_integer(value->type->element)) return false;
    *number = attr_element_int(elements, 0);
    return true;
}

// A constant that stands inside the loop, before it, or is carried along.
static bool loop_constant(const Op *loop, Value *value, int64_t *number) {
    if (constant_int(value, number)) return true;
    const Value *before = loop_value_before(loop, value);
    return before && constant_int(before, number);
}

// The carried number that the condition compares with a constant: its place among the
// carries; -1 when there is none.
static int counted_carry(const Op *loop, int64_t *end) {
    const Op *terminator = region_terminator(loop->regions[0]);
    const Op *compare = terminator->operand_count == 1 ? op_operand(terminator, 0)->def : NULL;
    if (!compare || compare->code != OP_COMPARE) return -1;
    if (op_int(compare, NAME_COMPARISON_DIRECTION, DIRECTION_EQ) != DIRECTION_LT) return -1;
    const Value *counter = op_operand(compare, 0);
    if (counter->region != loop->regions[0] || !loop_constant(loop, op_operand(compare, 1), end))
        return -1;
    return counter->index;
}

// What a step adds to carry i; 0 when it is no constant.
static int64_t carry_step(const Op *loop, int i) {
    const Value *carry = loop->regions[1]->args[i];
    const Op *add = op_operand(region_terminator(loop->regions[1]), i)->def;
    int64_t step = 0;
    if (!add || add->code != OP_ADD) return 0;
    for (int side = 0; side < 2; side++) {
        if (op_operand(add, side) != carry) continue;
        return loop_constant(loop, op_operand(add, 1 - side), &step) ? step : 0;
    }
    return 0;
}

bool loop_counter(const Op *loop, LoopCounter *counter) {
    int64_t end, distance;
    counter->carry = counted_carry(loop, &end);
    if (counter->carry < 0 || !constant_int(op_operand(loop, counter->carry), &counter->first))
        return false;
    counter->step = carry_step(loop, counter->carry);
    if (counter->step <= 0 || __builtin_sub_overflow(end, counter->first, &distance)) return false;
    counter->count = distance <= 0 ? 0 : (distance - 1) / counter->step + 1;
    return true;
}

int64_t loop_step_count(const Op *loop) {
    LoopCounter counter;
    return loop_counter(loop, &counter) ? counter.count : -1;
}

// ---- stacks ----

enum { MOST_DEPTH = 6 }; // of sums in sums, each of which is looked at as often as it is read

// A number that is first + step * (number of the step) in every step.
typedef struct StepNumber {
    int64_t first, step;
} StepNumber;

// Does no step's number wrap around in the type?
static bool stays_in_type(const StepNumber *n, int64_t count, ElementType element) {
    int64_t way, last;
    if (__builtin_mul_overflow(n->step, count - 1, &way)) return false;
    if (__builtin_add_overflow(n->first, way, &last)) return false;
    int bits = element_bits(element) - 1; // the unsigned ones count as signed, too
    int64_t most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    return n->first <= most && last <= most && n->first >= -most && last >= -most;
}

static bool number_of_step(
    const Op *loop, const LoopCounter *counter, Value *value, StepNumber *number, int depth) {
    *number = (StepNumber){0};
    if (loop_constant(loop, value, &number->first)) return true;
    if (value == loop->regions[1]->args[counter->carry]) {
        *number = (StepNumber){counter->first, counter->step};
        return true;
    }
    const Op *op = value->def;
    if (depth == 0 || !op || op->parent != loop->regions[1] || value->type->rank != 0) return false;
    StepNumber x, y;
    bool is_add = op->code == OP_ADD, is_subtract = op->code == OP_SUBTRACT;
    bool is_convert = op->code == OP_CONVERT && element_is_integer(value->type->element);
    if (!is_add && !is_subtract && !is_convert) return false;
    if (!number_of_step(loop, counter, op_operand(op, 0), &x, depth - 1)) return false;
    if (is_convert) {
        *number = x;
        return stays_in_type(number, counter->count, value->type->element);
    }
    if (!number_of_step(loop, counter, op_operand(op, 1), &y, depth - 1)) return false;
    bool overflows = is_add ? __builtin_add_overflow(x.first, y.first, &number->first) ||
                                  __builtin_add_overflow(x.step, y.step, &number->step)
                            : __builtin_sub_overflow(x.first, y.first, &number->first) ||
                                  __builtin_sub_overflow(x.step, y.step, &number->step);
    return !overflows && stays_in_type(number, counter->count, value->type->element);
}

bool loop_numbers_steps(const Op *loop, Value *value) {
    LoopCounter counter;
    StepNumber number;
    return loop_counter(loop, &counter) &&
           number_of_step(loop, &counter, value, &number, MOST_DEPTH);
}

// Is every place along the dimension, one after the other, the start of a step?
static bool visits_all(const Op *loop, const LoopCounter *counter, Value *start, int64_t places) {
    StepNumber n;
    if (counter->count != places || !number_of_step(loop, counter, start, &n, MOST_DEPTH))
        return false;
    return (n.step == 1 && n.first == 0) || (n.step == -1 && n.first == places - 1);
}

// Reads the op what the update wrote?
static bool reads_update(const Op *op, const Op *store) {
    const Type *update = op_operand_type(store, 1);
    if (op->code != OP_DYNAMIC_SLICE || op_operand(op, 0) != op_result(store, 0)) return false;
    for (int d = 0; d < update->rank; d++) {
        if (op_result_type(op, 0)->dims[d] != update->dims[d]) return false;
        if (op_operand(op, 1 + d) != op_operand(store, 2 + d)) return false;
    }
    return true;
}

bool loop_fills_carry(const Op *loop, int i) {
    const Region *body = loop->regions[1];
    const Op *end = region_terminator(body), *store = op_operand(end, i)->def;
    LoopCounter counter;
    if (loop->regions[0]->args[i]->uses || !value_has_one_use(body->args[i])) return false;
    if (!store || store->parent != body || store->code != OP_DYNAMIC_UPDATE_SLICE) return false;
    if (op_operand(store, 0) != body->args[i] || !loop_counter(loop, &counter)) return false;
    const Type *stack = op_operand_type(store, 0), *update = op_operand_type(store, 1);
    int along = -1;
    for (int d = 0; d < stack->rank; d++) {
        if (update->dims[d] == stack->dims[d]) continue;
        if (along >= 0 || update->dims[d] != 1) return false;
        along = d;
    }
    if (along >= 0 && !visits_all(loop, &counter, op_operand(store, 2 + along), stack->dims[along]))
        return false;
    for (const Use *use = op_result(store, 0)->uses; use; use = use->next) {
        bool is_returned = use->owner == end && use_index(use) == i;
        if (!is_returned && !reads_update(use->owner, store)) return false;
    }
    return counter.count > 0;
}

Value *value_without_ones(Value *value, const Region *body) {
    while (value->def && value->def->parent == body) {
        const Op *op = value->def;
        if (op->code != OP_RESHAPE && op->code != OP_BROADCAST_IN_DIM) break;
        if (!type_same_but_ones(value->type, op_operand_type(op, 0))) break;
        if (op->code == OP_BROADCAST_IN_DIM) {
            IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
            for (int d = 1; d < dims.count; d++) {
                if (dims.data[d] <= dims.data[d - 1]) return value; // it transposes
            }
        }
        value = op_operand(op, 0);
    }
    return value;
}
