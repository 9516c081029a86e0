// Reductions that choose: of two pairs (value, number) the result is one, as in argmax.
//
// A body that only compares and selects its arguments decides by their order alone. So a few
// representatives of every order (less, equal, greater, one or both not a number) show what it does
// with all pairs. Where the result is always one of the two pairs and the reduction is associative,
// as reduce demands, the pairs are in classes, the greatest of which wins, and within a class
// either the first or the last one does (a quasitrivial semigroup). So the steps of each vector
// lane may be folded on their own, if the lanes' results are then combined in the order of their
// places: those are the numbers, where they grow along the fold.
#include "codegen/element/choice.h"

#include "ir/scalar/scalar.h"

enum { MAX_BODY = 32, NOT_A_NUMBER = 99 };

// What an argument or an intermediate result is; values and numbers are never compared with each
// other.
typedef enum Kind { KIND_VALUE, KIND_NUMBER, KIND_CONDITION } Kind;

typedef struct Representative {
    Kind kind;
    int x;
} Representative;

// What the representatives are in one run of the body.
typedef struct Run {
    const Region *body;
    int argument[4];
    const Value *values[MAX_BODY];
    Representative results[MAX_BODY];
    int count;
} Run;

static bool known(const Run *run, const Value *value, Representative *x) {
    if (value->region == run->body) {
        *x = (Representative){
            value->index % 2 ? KIND_NUMBER : KIND_VALUE, run->argument[value->index]};
        return true;
    }
    for (int i = 0; i < run->count; i++) {
        if (run->values[i] != value) continue;
        *x = run->results[i];
        return true;
    }
    return false;
}

static bool compares(int64_t direction, int x, int y) {
    if (x == NOT_A_NUMBER || y == NOT_A_NUMBER) return direction == DIRECTION_NE;
    switch (direction) {
    case DIRECTION_EQ: return x == y;
    case DIRECTION_NE: return x != y;
    case DIRECTION_LT: return x < y;
    case DIRECTION_LE: return x <= y;
    case DIRECTION_GT: return x > y;
    default: return x >= y;
    }
}

static int extremum(bool is_greatest, int x, int y) {
    if (x == NOT_A_NUMBER || y == NOT_A_NUMBER) return NOT_A_NUMBER;
    return (x > y) == is_greatest ? x : y;
}

// What the op makes of its operands; false when it does more than compare and select.
static bool run_op(const Op *op, const Representative *of, Representative *result) {
    const Representative x = of[0], y = of[1];
    *result = (Representative){.kind = KIND_CONDITION};
    bool are_conditions = x.kind == KIND_CONDITION && y.kind == KIND_CONDITION;
    bool are_ordered = x.kind == y.kind && !are_conditions;
    switch (op_code_scalar(op->code)) { // NOLINT(hicpp-multiway-paths-covered): those of choices
    case SCALAR_compare:
        result->x = compares(op_int(op, NAME_COMPARISON_DIRECTION, 0), x.x, y.x);
        return are_ordered && op_int(op, NAME_COMPARE_TYPE, COMPARE_NOTYPE) != COMPARE_TOTALORDER;
    case SCALAR_select: *result = x.x ? y : of[2]; return y.kind == of[2].kind;
    case SCALAR_and: result->x = x.x && y.x; return are_conditions;
    case SCALAR_or: result->x = x.x || y.x; return are_conditions;
    case SCALAR_xor: result->x = x.x != y.x; return are_conditions;
    case SCALAR_not: result->x = !x.x; return x.kind == KIND_CONDITION;
    case SCALAR_maximum: *result = (Representative){x.kind, extremum(true, x.x, y.x)}; break;
    case SCALAR_minimum: *result = (Representative){x.kind, extremum(false, x.x, y.x)}; break;
    default: return false;
    }
    return are_ordered;
}

// results = body(arguments)
static bool run_body(Run *run, Representative *results) {
    run->count = 0;
    for (const Op *op = run->body->first; op; op = op->next) {
        Representative x[3] = {{0}};
        if (op_has(op, TRAIT_TERMINATOR)) {
            return op->operand_count == 2 && known(run, op_operand(op, 0), &results[0]) &&
                   known(run, op_operand(op, 1), &results[1]);
        }
        if (run->count == MAX_BODY || op->operand_count > 3 || op->result_count != 1) return false;
        for (int i = 0; i < op->operand_count; i++) {
            if (!known(run, op_operand(op, i), &x[i])) return false;
        }
        run->values[run->count] = op_result(op, 0);
        if (!run_op(op, x, &run->results[run->count])) return false;
        run->count++;
    }
    return false;
}

static bool is_ordered(ElementType element) {
    return element != ELEMENT_I1 && element_class(element) != CLASS_COMPLEX;
}

bool reduction_chooses(const Region *body) {
    static const int numbers[] = {1, 2, NOT_A_NUMBER};
    if (body->arg_count != 4) return false;
    ElementType value = body->args[0]->type->element, place = body->args[1]->type->element;
    if (!is_ordered(value) || !is_ordered(place) || element_is_float(place)) return false;
    int value_count = element_is_float(value) ? 3 : 2;
    Run run = {.body = body};
    for (int all = 0; all < value_count * value_count * 2; all++) {
        int left = numbers[all / 2 % value_count], right = numbers[all / 2 / value_count];
        int first = 1 + all % 2, second = 3 - first; // no two places are one
        Representative results[2];
        run.argument[0] = left;
        run.argument[1] = first;
        run.argument[2] = right;
        run.argument[3] = second;
        if (!run_body(&run, results)) return false;
        if (results[0].kind != KIND_VALUE || results[1].kind != KIND_NUMBER) return false;
        bool is_left = results[0].x == left && results[1].x == first;
        bool is_right = results[0].x == right && results[1].x == second;
        if (!is_left && !is_right) return false;
    }
    return true;
}
