// check.* ops and custom calls, probes, other custom calls, infeed and outfeed.
#include "base/vec.h"
#include "ir/analysis/effects.h"
#include "ir/eval/eval_internal.h"
#include "ir/legalize/refine_ops.h"

#include <math.h>
#include <string.h>

// What a probe met, in order.
typedef struct ProbedValues {
    VEC(Tensor *) values;
} ProbedValues;

// --- comparing ---

typedef enum CheckKind { CHECK_EQ, CHECK_ULP, CHECK_ALMOST } CheckKind;

typedef struct Check {
    CheckKind kind;
    uint64_t min_ulp, max_ulp; // CHECK_ULP
    double tolerance;          // CHECK_ALMOST
    bool ints_exact;           // CHECK_ALMOST: integers must be equal
} Check;

static uint64_t pattern_of(const char *data, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, data, size);
    return bits;
}

// Floats between a and b: 0 for equal bits or two NaN, -0 is +0; not both finite: as far as it
// goes.
static uint64_t ulp_distance(ElementType element, const char *a, const char *b) {
    const FloatFormat *format = element_float_format(element);
    size_t size = element_bytes(element);
    uint64_t x = pattern_of(a, size), y = pattern_of(b, size);
    double p = float_decode(format, x), q = float_decode(format, y);
    if (x == y || (isnan(p) && isnan(q))) return 0;
    if (!isfinite(p) || !isfinite(q)) return UINT64_MAX;
    uint64_t sign = (uint64_t)1 << (format->bits - 1);
    int64_t i = (int64_t)(x & (sign - 1)), j = (int64_t)(y & (sign - 1));
    if (x & sign) i = -i;
    if (y & sign) j = -j;
    return i > j ? (uint64_t)i - (uint64_t)j : (uint64_t)j - (uint64_t)i;
}

static bool reals_pass(const Check *check, ElementType element, const char *a, const char *b) {
    const FloatFormat *format = element_float_format(element);
    size_t size = element_bytes(element);
    double x = float_decode(format, pattern_of(a, size)),
           y = float_decode(format, pattern_of(b, size));
    switch (check->kind) {
    case CHECK_EQ: return x == y || (isnan(x) && isnan(y));
    case CHECK_ULP: {
        uint64_t distance = ulp_distance(element, a, b);
        return distance >= check->min_ulp && distance <= check->max_ulp;
    }
    case CHECK_ALMOST:
        if (x == y || (isnan(x) && isnan(y))) return true;
        return isfinite(x) && isfinite(y) && fabs(x - y) <= check->tolerance;
    }
    return false;
}

static bool elements_pass(const Check *check, ElementType element, const char *a, const char *b) {
    ElementClass class = element_class(element);
    if (class == CLASS_FLOAT) return reals_pass(check, element, a, b);
    if (class == CLASS_COMPLEX) {
        ElementType part = element_real_part(element);
        size_t half = element_bytes(part);
        if (check->kind != CHECK_ULP)
            return reals_pass(check, part, a, b) && reals_pass(check, part, a + half, b + half);
        uint64_t re = ulp_distance(part, a, b), im = ulp_distance(part, a + half, b + half);
        uint64_t distance = re > im ? re : im;
        return distance >= check->min_ulp && distance <= check->max_ulp;
    }
    int64_t x = 0, y = 0;
    scalar_load_int(element, a, 1, 1, &x);
    scalar_load_int(element, b, 1, 1, &y);
    if (check->kind == CHECK_ALMOST && !check->ints_exact)
        return fabs((double)x - (double)y) <= check->tolerance;
    return x == y;
}

static void print_element(StrBuf *out, ElementType element, const char *data) {
    ElementClass class = element_class(element);
    if (class == CLASS_COMPLEX) {
        double _Complex z = 0;
        scalar_load_complex(element, data, 1, 1, &z);
        strbuf_printf(out, "(%.17g, %.17g)", creal(z), cimag(z));
    } else if (class == CLASS_FLOAT) {
        double x = 0;
        scalar_load_real(element, data, 1, 1, &x);
        strbuf_printf(out, "%.*g", element == ELEMENT_F64 ? 17 : 9, x);
    } else {
        int64_t x = 0;
        scalar_load_int(element, data, 1, 1, &x);
        if (class == CLASS_SINT)
            strbuf_printf(out, "%lld", (long long)x);
        else
            strbuf_printf(out, "%llu", (unsigned long long)x);
    }
}

static void record(Eval *eval, const Op *op, bool passed, StrView why) {
    EvalChecks *checks = eval->checks;
    if (!checks) {
        if (!passed) eval_fail(eval, op, "does not hold: %.*s", SV_ARG(why));
        return;
    }
    if (passed) {
        checks->passed++;
        return;
    }
    if (checks->failed++ > 0) return;
    StrBuf text = strbuf(eval->arena);
    if (op->loc && op->loc->line > 0) {
        strbuf_append(&text, loc_file(op->loc));
        strbuf_printf(&text, ":%d:%d: ", op->loc->line, op->loc->column);
    }
    strbuf_append(&text, op->name);
    strbuf_puts(&text, ": ");
    strbuf_append(&text, why);
    checks->first_failure = strbuf_view(&text);
}

// Compares all elements; false when some does not pass, with a line that says which.
static bool tensors_pass(
    Eval *eval, const Check *check, const Tensor *actual, const Tensor *expected, StrView *why) {
    const Type *type = actual->type;
    StrBuf text = strbuf(eval->arena);
    if (!type_same_shape(type, expected->type) || type->element != expected->type->element) {
        strbuf_puts(&text, "got ");
        type_print(&text, type);
        strbuf_puts(&text, ", expected ");
        type_print(&text, expected->type);
        *why = strbuf_view(&text);
        return false;
    }
    size_t size = element_bytes(type->element);
    int64_t wrong = 0, first = 0, count = tensor_count(actual);
    for (int64_t i = 0; i < count; i++) {
        const char *a = (const char *)actual->data + (size_t)i * size;
        const char *b = (const char *)expected->data + (size_t)i * size;
        if (elements_pass(check, type->element, a, b)) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return true;
    int64_t strides[MAX_RANK];
    row_major_strides(type->rank, type->dims, strides);
    strbuf_puts(&text, "element [");
    for (int d = 0; d < type->rank; d++)
        strbuf_printf(
            &text, "%s%lld", d ? ", " : "", (long long)(first / strides[d] % type->dims[d]));
    strbuf_puts(&text, "] is ");
    print_element(&text, type->element, (const char *)actual->data + (size_t)first * size);
    strbuf_puts(&text, ", expected ");
    print_element(&text, type->element, (const char *)expected->data + (size_t)first * size);
    strbuf_printf(&text, " (%lld of %lld differ)", (long long)wrong, (long long)count);
    *why = strbuf_view(&text);
    return false;
}

static bool run_check(
    Eval *eval, const Op *op, const Check *check, const Tensor *actual, const Tensor *expected) {
    StrView why = {0};
    record(eval, op, tensors_pass(eval, check, actual, expected, &why), why);
    return eval->checks || eval->diags->error_count == 0;
}

static Check almost(const Op *op) {
    const Attr *tolerance = op_attr(op, NAME_TOLERANCE);
    bool is_given = tolerance && tolerance->kind == ATTR_FLOAT;
    return (Check){.kind = CHECK_ALMOST, .tolerance = is_given ? tolerance->number : 1e-4};
}

static bool check_operands(Eval *eval, const Op *op, Check check) {
    if (op->operand_count < 2) return eval_fail(eval, op, "needs two operands");
    return run_check(eval, op, &check, eval_operand(eval, op, 0), eval_operand(eval, op, 1));
}

static bool check_constant(Eval *eval, const Op *op, Check check) {
    const Attr *value = op_attr(op, NAME_VALUE);
    if (op->operand_count < 1) return eval_fail(eval, op, "has no operand");
    if (!value || value->kind != ATTR_ELEMENTS) return eval_fail(eval, op, "has no dense value");
    Tensor *expected = eval_attr_tensor(eval, op, value, value->type);
    if (!expected) return false;
    bool ok = run_check(eval, op, &check, eval_operand(eval, op, 0), expected);
    eval_release(eval, expected);
    return ok;
}

bool eval_expect_eq(Eval *eval, const Op *op) {
    return check_operands(eval, op, (Check){.kind = CHECK_EQ});
}

bool eval_expect_close(Eval *eval, const Op *op) {
    Check check = {
        .kind = CHECK_ULP,
        .max_ulp = (uint64_t)op_int(op, NAME_MAX_ULP_DIFFERENCE, 3),
        .min_ulp = (uint64_t)op_int(op, NAME_MIN_ULP_DIFFERENCE, 0)};
    return check_operands(eval, op, check);
}

bool eval_expect_almost_eq(Eval *eval, const Op *op) {
    return check_operands(eval, op, almost(op));
}

bool eval_expect_eq_const(Eval *eval, const Op *op) {
    return check_constant(eval, op, (Check){.kind = CHECK_EQ});
}

bool eval_expect_almost_eq_const(Eval *eval, const Op *op) {
    return check_constant(eval, op, almost(op));
}

bool eval_expect_serialized_eq(Eval *eval, const Op *op) {
    Check check = {.kind = CHECK_EQ};
    if (op->operand_count < 1) return eval_fail(eval, op, "has no operand");
    const ProbedValues *probed = str_map_get(&eval->probes, op_text(op, NAME_PROBE_ID));
    int64_t iteration = op_int(op, NAME_ITERATION, 0);
    if (!probed || iteration < 0 || iteration >= probed->values.count)
        return eval_fail(eval, op, "names a probe that was not reached so often");
    return run_check(eval, op, &check, eval_operand(eval, op, 0), probed->values.data[iteration]);
}

// Gives the value to the caller's function.
bool eval_print(Eval *eval, const Op *op) {
    if (eval->print) eval->print(eval->print_user, eval_operand(eval, op, 0));
    return true;
}

// Keeps each value that it meets under its name and passes it on.
bool eval_probe(Eval *eval, const Op *op) {
    Tensor *operand = eval_operand(eval, op, 0);
    StrView name = op_text(op, NAME_PROBE_ID);
    ProbedValues *probed = str_map_get(&eval->probes, name);
    if (!probed) {
        probed = ARENA_NEW(eval->arena, ProbedValues);
        str_map_set(&eval->probes, name, probed);
    }
    vec_push(eval->arena, &probed->values, eval_retain(operand));
    eval_set_result(eval, op, 0, eval_retain(operand));
    return true;
}

// --- custom calls ---

// @check.eq: integers equal, floats within 1e-4; the result is one i1.
static bool check_with_result(Eval *eval, const Op *op) {
    Check check = {.kind = CHECK_ALMOST, .tolerance = 1e-4, .ints_exact = true};
    Tensor *result = eval_result_tensor(eval, op, 0);
    if (!result) return false;
    StrView why = {0};
    bool passed =
        tensors_pass(eval, &check, eval_operand(eval, op, 0), eval_operand(eval, op, 1), &why);
    record(eval, op, passed, why);
    int64_t flag = passed;
    memset(result->data, 0, type_bytes(result->type));
    if (tensor_count(result) > 0) scalar_store_int(result->type->element, &flag, 1, result->data);
    eval_set_result(eval, op, 0, result);
    return eval->checks || passed;
}

static bool shape_assertion(Eval *eval, const Op *op) {
    if (tensor_int(eval_operand(eval, op, 0), 0)) return true;
    Arena *arena = eval->diags->arena;
    int64_t *values = ARENA_ARRAY(arena, int64_t, op->operand_count);
    const int64_t **numbers = ARENA_ARRAY(arena, const int64_t *, op->operand_count);
    for (int i = 1; i < op->operand_count; i++) {
        const Tensor *operand = eval_operand(eval, op, i);
        if (operand->type->rank > 0 || !element_is_integer(operand->type->element)) continue;
        values[i - 1] = tensor_int(operand, 0);
        numbers[i - 1] = &values[i - 1];
    }
    diag_error(
        eval->diags, op->loc, "shape assertion failed: %s", assertion_text(arena, op, numbers));
    return false;
}

bool eval_custom_call(Eval *eval, const Op *op) {
    StrView target = op_text(op, NAME_CALL_TARGET_NAME);
    if (is_shape_assertion(op)) return shape_assertion(eval, op);
    if (op_is_sink(op)) return true;
    if (strview_starts_with(target, SV("check.")) && op->operand_count == 2) {
        const Tensor *actual = eval_operand(eval, op, 0), *expected = eval_operand(eval, op, 1);
        Check eq = {.kind = CHECK_EQ}, close = {.kind = CHECK_ULP, .max_ulp = 3};
        Check almost = {.kind = CHECK_ALMOST, .tolerance = 1e-3};
        if (strview_is(target, "check.expect_eq"))
            return run_check(eval, op, &eq, actual, expected);
        if (strview_is(target, "check.expect_close"))
            return run_check(eval, op, &close, actual, expected);
        if (strview_is(target, "check.expect_almost_eq"))
            return run_check(eval, op, &almost, actual, expected);
        if (strview_is(target, "check.eq") && op->result_count == 1)
            return check_with_result(eval, op);
    }
    bool is_inspection = strview_is(target, "InspectSharding");
    if (is_inspection && op->result_count == 0) return true;
    if ((is_inspection || strview_is(target, "Sharding")) && op->operand_count == op->result_count)
        return eval_identity(eval, op);
    diag_unsupported(
        eval->diags, op->loc, "custom call '@%.*s' is not supported by the evaluator",
        SV_ARG(target));
    return false;
}

// --- infeed ---

bool eval_infeed(Eval *eval, const Op *op) {
    if (op->result_count != 2) return eval_unsupported(eval, op, "with more than one tensor");
    if (eval->infeed_next >= eval->infeed_count)
        return eval_fail(eval, op, "reads an infeed that is empty");
    Tensor *next = eval->infeed[eval->infeed_next++];
    if (next->type != op_result_type(op, 0))
        return eval_fail(eval, op, "reads an infeed of another type");
    Tensor *token = eval_result_tensor(eval, op, 1);
    if (!token) return false;
    eval_set_result(eval, op, 0, eval_retain(next));
    eval_set_result(eval, op, 1, token);
    return true;
}
