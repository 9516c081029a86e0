// dot_algorithm: which algorithms of a matrix product exist.
#include "base/arena.h"
#include "ir/attr.h"

static bool is_f8(ElementType element) {
    return element_is_float(element) && element_bits(element) == 8;
}

static bool is_known(const DotAlgorithm *a) {
    if (a->lhs_components != 1 || a->rhs_components != 1) return false;
    ElementType lhs = a->lhs_precision, rhs = a->rhs_precision, sum = a->accumulation;
    int64_t steps = a->primitive_operations;
    if (is_f8(lhs) && is_f8(rhs)) return sum == ELEMENT_F32 && steps == 1;
    if (a->allow_imprecise_accumulation || lhs != rhs || a->lhs_is_tf32 != a->rhs_is_tf32)
        return false;
    if (a->accumulation_is_tf32) return false;
    if (a->lhs_is_tf32) return sum == ELEMENT_F32 && (steps == 1 || steps == 3);
    if (lhs == ELEMENT_F16) return (sum == ELEMENT_F16 || sum == ELEMENT_F32) && steps == 1;
    if (lhs == ELEMENT_BF16 && sum == ELEMENT_BF16) return steps == 1;
    if (lhs == ELEMENT_BF16)
        return sum == ELEMENT_F32 && (steps == 1 || steps == 3 || steps == 6 || steps == 9);
    return (lhs == ELEMENT_F32 || lhs == ELEMENT_F64) && sum == lhs && steps == 1;
}

static StrView precision_text(ElementType element, bool is_tf32) {
    return is_tf32 ? SV("tf32") : element_text(element);
}

const char *dot_algorithm_problem(Arena *arena, const DotAlgorithm *algorithm) {
    if (algorithm->lhs_components < 1) return "lhs component count must be positive";
    if (algorithm->rhs_components < 1) return "rhs component count must be positive";
    if (algorithm->primitive_operations < 1) return "num primitive operations must be positive";
    if (is_known(algorithm)) return NULL;
    return arena_printf(
        arena,
        "dot algorithm not known to be supported on any hardware: {lhs:'%.*s', rhs:'%.*s', "
        "accum:'%.*s', lhs_components:%lld, rhs_components:%lld, primitive_ops:%lld, imprecise:%d}",
        SV_ARG(precision_text(algorithm->lhs_precision, algorithm->lhs_is_tf32)),
        SV_ARG(precision_text(algorithm->rhs_precision, algorithm->rhs_is_tf32)),
        SV_ARG(precision_text(algorithm->accumulation, algorithm->accumulation_is_tf32)),
        (long long)algorithm->lhs_components, (long long)algorithm->rhs_components,
        (long long)algorithm->primitive_operations, algorithm->allow_imprecise_accumulation);
}
