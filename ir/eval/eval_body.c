// The regions of reduce, sort, scatter and the like: scalar programs that run on many elements at
// once.
//
// A body whose ops are all pointwise (or constants, or shardings) runs op by op over chunks of
// elements; any other body runs through eval_region, one element at a time.
#include "base/vec.h"
#include "ir/eval/eval_internal.h"

#include <string.h>

enum { BODY_CHUNK = 256 };

// A pointwise op with its places found.
typedef struct BodyStep {
    const Op *op;
    const struct BodyValue *args[3];
    struct BodyValue *out;
} BodyStep;

// Where a value of the region lies.
typedef struct BodyValue {
    void *data;
    bool is_splat;         // one element
    const Value *captured; // from outside: data is looked up at each run
} BodyValue;

struct Body {
    const Region *region;
    bool is_simple;
    int step_count;
    BodyStep *steps;
    BodyValue **results; // [operands of the terminator]
    BodyValue **args;    // [arguments]
    PtrMap values;       // Value * -> BodyValue *
    VEC(BodyValue *) captures;
};

static bool is_constant(const Op *op) {
    return op->code == OP_CONSTANT || op->code == OP_SDY_CONSTANT || op->code == OP_CHLO_CONSTANT;
}

static bool is_mark(const Op *op) {
    return op->code == OP_SDY_CONSTRAINT || op->code == OP_SDY_RESHARD || op->code == OP_SDY_EDGE ||
           op->code == OP_SDY_BARRIER;
}

static bool is_plain_scalar(const Type *type) {
    return type->kind == TYPE_TENSOR && type->rank == 0 && !type->quant && !type->unranked;
}

static bool is_simple_region(const Region *region) {
    const Op *terminator = region_terminator(region);
    if (!terminator || !op_has(terminator, TRAIT_TERMINATOR)) return false;
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->operand_count; i++) {
            if (!is_plain_scalar(op_operand_type(op, i))) return false;
        }
        for (int i = 0; i < op->result_count; i++) {
            if (!is_plain_scalar(op_result_type(op, i))) return false;
        }
        bool is_pointwise = op_has(op, TRAIT_POINTWISE) && op->region_count == 0 &&
                            op->result_count == 1 && op->operand_count <= 3;
        if (!is_pointwise && !is_constant(op) && !is_mark(op) && op != terminator) return false;
    }
    return true;
}

static BodyValue *body_value(Eval *eval, Body *body, const Value *value) {
    BodyValue *known = ptr_map_get(&body->values, value);
    if (known) return known;
    known = ARENA_NEW(eval->arena, BodyValue);
    ptr_map_set(&body->values, value, known);
    if (value_region(value) != body->region) {
        known->is_splat = true;
        known->captured = value;
        vec_push(eval->arena, &body->captures, known);
    } else {
        known->data = arena_alloc(eval->arena, BODY_CHUNK * element_bytes(value->type->element));
    }
    return known;
}

static Body *body_create(Eval *eval, const Region *region) {
    Body *body = ARENA_NEW(eval->arena, Body);
    body->region = region;
    body->is_simple = is_simple_region(region);
    if (!body->is_simple) return body;
    body->values = ptr_map(eval->arena);
    int count = 0;
    for (const Op *op = region->first; op; op = op->next)
        count++;
    body->steps = ARENA_ARRAY(eval->arena, BodyStep, count);
    body->args = ARENA_ARRAY(eval->arena, BodyValue *, region->arg_count);
    for (int i = 0; i < region->arg_count; i++)
        body->args[i] = body_value(eval, body, region->args[i]);
    const Op *terminator = region_terminator(region);
    for (const Op *op = region->first; op && op != terminator; op = op->next) {
        if (is_constant(op)) {
            const Attr *value = op_attr(op, NAME_VALUE);
            BodyValue *known = body_value(eval, body, op_result(op, 0));
            known->is_splat = true;
            memcpy(known->data, value->data, element_bytes(value->type->element));
        } else if (is_mark(op)) {
            ptr_map_set(&body->values, op_result(op, 0), body_value(eval, body, op_operand(op, 0)));
        } else {
            BodyStep *step = &body->steps[body->step_count++];
            step->op = op;
            for (int i = 0; i < op->operand_count; i++)
                step->args[i] = body_value(eval, body, op_operand(op, i));
            step->out = body_value(eval, body, op_result(op, 0));
        }
    }
    body->results = ARENA_ARRAY(eval->arena, BodyValue *, terminator->operand_count);
    for (int i = 0; i < terminator->operand_count; i++)
        body->results[i] = body_value(eval, body, op_operand(terminator, i));
    return body;
}

static bool is_scalar_of(const Type *type, ElementType element) {
    return type->kind == TYPE_TENSOR && type->rank == 0 && type->element == element;
}

static bool body_fits(
    const Region *region, int arg_count, const ElementType *args, int result_count,
    const ElementType *results) {
    const Op *terminator = region_terminator(region);
    if (!terminator || region->arg_count != arg_count || terminator->operand_count != result_count)
        return false;
    for (int i = 0; i < arg_count; i++) {
        if (!is_scalar_of(region->args[i]->type, args[i])) return false;
    }
    for (int i = 0; i < result_count; i++) {
        if (!is_scalar_of(op_operand_type(terminator, i), results[i])) return false;
    }
    return true;
}

Body *eval_body(
    Eval *eval, const Op *op, const Region *region, int arg_count, const ElementType *args,
    int result_count, const ElementType *results) {
    if (!body_fits(region, arg_count, args, result_count, results)) {
        eval_unsupported(eval, op, "with a body of other types than its operands and results");
        return NULL;
    }
    Body *body = ptr_map_get(&eval->bodies, region);
    if (!body) {
        body = body_create(eval, region);
        ptr_map_set(&eval->bodies, region, body);
    }
    return body;
}

static bool run_step(Eval *eval, const BodyStep *step, int64_t count) {
    const Op *op = step->op;
    ScalarArg args[3];
    for (int i = 0; i < op->operand_count; i++) {
        const BodyValue *value = step->args[i];
        args[i] = (ScalarArg){value->data, op_operand_type(op, i)->element, value->is_splat};
    }
    if (!scalar_apply(op->code, op, count, args, op_result_type(op, 0)->element, step->out->data))
        return eval_unsupported(eval, op, "on these element types");
    return true;
}

static bool run_simple(
    Eval *eval, Body *body, const Op *op, int64_t count, const void *const *args,
    void *const *results) {
    const Region *region = body->region;
    const Op *terminator = region_terminator(region);
    for (int64_t i = 0; i < body->captures.count; i++) {
        BodyValue *captured = body->captures.data[i];
        const Tensor *tensor = eval_get(eval, captured->captured, eval->lane);
        if (!tensor)
            return eval_fail(eval, op, "has a region that uses a value that is not computed");
        captured->data = tensor->data;
    }
    for (int64_t start = 0; start < count; start += BODY_CHUNK) {
        int64_t n = count - start < BODY_CHUNK ? count - start : BODY_CHUNK;
        for (int i = 0; i < region->arg_count; i++) {
            size_t size = element_bytes(region->args[i]->type->element);
            memcpy(
                body->args[i]->data, (const char *)args[i] + (size_t)start * size,
                (size_t)n * size);
        }
        for (int s = 0; s < body->step_count; s++) {
            if (!run_step(eval, &body->steps[s], n)) return false;
        }
        for (int i = 0; i < terminator->operand_count; i++) {
            size_t size = element_bytes(op_operand_type(terminator, i)->element);
            char *out = (char *)results[i] + (size_t)start * size;
            const BodyValue *value = body->results[i];
            if (!value->is_splat) {
                memcpy(out, value->data, (size_t)n * size);
                continue;
            }
            for (int64_t k = 0; k < n; k++)
                memcpy(out + (size_t)k * size, value->data, size);
        }
    }
    return true;
}

Tensor *eval_scalar_tensor(Eval *eval, const Op *op, ElementType element, const void *data) {
    Tensor *tensor = eval_tensor(eval, op, type_scalar(eval->module->context, element));
    if (tensor) memcpy(tensor->data, data, element_bytes(element));
    return tensor;
}

static bool run_general(
    Eval *eval, Body *body, const Op *op, int64_t count, const void *const *args,
    void *const *results) {
    const Region *region = body->region;
    const Op *terminator = region_terminator(region);
    if (!terminator) return eval_fail(eval, op, "has a region without a terminator");
    int mark = eval_scratch_mark(eval);
    Tensor **in = eval_scratch(eval, op, region->arg_count, sizeof *in);
    Tensor **out = eval_scratch(eval, op, terminator->operand_count, sizeof *out);
    if (!in || !out) return false;
    int lane = eval->lane;
    bool ok = true;
    for (int64_t k = 0; k < count && ok; k++) {
        for (int i = 0; i < region->arg_count && ok; i++) {
            ElementType element = region->args[i]->type->element;
            const char *data = (const char *)args[i] + (size_t)k * element_bytes(element);
            in[i] = eval_scalar_tensor(eval, op, element, data);
            ok = in[i] != NULL;
        }
        ok = ok && eval_region(eval, region, (Lanes){&lane, 1}, in, out);
        for (int i = 0; i < terminator->operand_count && ok; i++) {
            size_t size = element_bytes(out[i]->type->element);
            memcpy((char *)results[i] + (size_t)k * size, out[i]->data, size);
            eval_release(eval, out[i]);
        }
    }
    eval_scratch_release(eval, mark);
    return ok;
}

bool eval_body_run(
    Eval *eval, Body *body, const Op *op, int64_t count, const void *const *args,
    void *const *results) {
    return body->is_simple ? run_simple(eval, body, op, count, args, results)
                           : run_general(eval, body, op, count, args, results);
}
