// api_build_registered: ops of the caller's own, which functions of the caller build from others.
#include "api/build/api_build.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_REGISTERED_DEPTH = 64 };

const RegisteredOp *registered_op(const shardc_func *func, const char *name) {
    if (!func || !name) return NULL;
    for (const RegisteredOp *op = func->module->owner->ops; op; op = op->next) {
        if (strview_is(op->name, name)) return op;
    }
    return NULL;
}

shardc_status *shardc_register_op(
    shardc_context *context, const char *name, const shardc_op_definition *definition) {
    if (!context) return status_null(__func__, "context");
    if (!name) return status_null(__func__, "name");
    if (!definition) return status_null(__func__, "definition");
    shardc_op_definition all = {0};
    shardc_status *status = read_struct(__func__, "definition", definition, sizeof all, &all);
    if (status) return status;
    if (!all.forward) return status_null(__func__, "definition->forward");
    OpCode code;
    bool is_known = op_code_from_text(strview(name), &code) && code != OP_UNREGISTERED;
    for (const RegisteredOp *op = context->ops; op && !is_known; op = op->next)
        is_known = strview_is(op->name, name);
    if (!*name || is_known) {
        return status_create(
            SHARDC_INVALID_INPUT,
            *name ? "%s: there is an op '%.80s' already" : "%s: name is empty%s", __func__, name);
    }
    ArenaGuard guard;
    arena_set_guard(context->arena, &guard);
    if (setjmp(guard.jump)) {
        arena_set_guard(context->arena, NULL);
        return status_out_of_memory();
    }
    RegisteredOp *made = ARENA_NEW(context->arena, RegisteredOp);
    made->name = strview(arena_cstring(context->arena, strview(name)));
    made->definition = all;
    made->next = context->ops;
    arena_set_guard(context->arena, NULL);
    context->ops = made;
    return NULL;
}

// ---- uses

// Are these values of the function, and of these types? Types may be given as texts, or
// as other values of those types.
typedef struct ValueCheck {
    const char *what; // "operand"
    int count;
    const shardc_value *values;
    bool may_be_none; // 0 is no error
    const char *const *types;
    const shardc_value *like;
} ValueCheck;

static bool check_values(Call *call, void *arguments) {
    const ValueCheck *check = arguments;
    const char *count_name = arena_printf(call->scratch, "%s_count", check->what);
    const char *list = arena_printf(call->scratch, "%ss", check->what);
    if (!build_need_list(call, list, count_name, check->count, check->values)) return false;
    for (int i = 0; i < check->count; i++) {
        Value *value, *like;
        if (check->may_be_none && check->values[i] == 0) continue;
        if (!build_find_value(call, check->values[i], check->what, i, &value)) return false;
        const Type *type = value->type;
        if (check->types) type = build_read_type(call, "result_types", check->types[i]);
        if (!type) return false;
        if (check->like) {
            if (!build_find_value(call, check->like[i], check->what, i, &like)) return false;
            type = like->type;
        }
        if (type != value->type)
            return build_error(call, "%s %d has another type than it should", check->what, i);
    }
    return true;
}

static shardc_status *check_list(const char *name, shardc_func *func, ValueCheck check) {
    return call_func(name, func, check_values, &check);
}

// Calls the caller's function, and checks what it leaves behind.
static shardc_status *run_function(
    const char *name, const RegisteredOp *op, shardc_op_function *function, shardc_func *func,
    const char *attributes, int operand_count, const shardc_value *operands, int result_count,
    shardc_value *results) {
    if (func->registered_depth == MAX_REGISTERED_DEPTH) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: '%.*s' is built of itself, or of too many others", name,
            SV_ARG(op->name));
    }
    const Frame *frame = func->frame;
    int pending = frame->pending_count;
    func->registered_depth++;
    shardc_status *status = function(
        op->definition.user, func, attributes, operand_count, operands, result_count, results);
    func->registered_depth--;
    if (status) return status;
    if (func->finished || func->failed || func->frame != frame || frame->pending_count != pending) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: the function of '%.*s' has not ended what it began", name,
            SV_ARG(op->name));
    }
    return NULL;
}

shardc_status *build_registered(
    const RegisteredOp *op, shardc_func *func, int operand_count, const shardc_value *operands,
    const char *attributes, int result_count, const char *const *result_types,
    shardc_value *results) {
    static const char name[] = "shardc_build_op";
    shardc_status *status = check_list(
        name, func, (ValueCheck){.what = "operand", .count = operand_count, .values = operands});
    if (status) return status;
    if (func->frame->pending_count > 0) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: '%.*s' takes no region", name, SV_ARG(op->name));
    }
    if (result_count > 0 && !results) return status_null(name, "results");
    status = run_function(
        name, op, op->definition.forward, func, attributes, operand_count, operands, result_count,
        results);
    if (!status) {
        ValueCheck made = {
            .what = "result", .count = result_count, .values = results, .types = result_types};
        status = check_list(name, func, made);
    }
    if (status) build_clear_values(result_count, results);
    return status;
}

shardc_status *shardc_build_gradient(
    shardc_func *func, const char *name, int operand_count, const shardc_value *operands,
    const char *attributes, int result_count, const shardc_value *results,
    const shardc_value *gradients, shardc_value *operand_gradients) {
    build_clear_values(operand_count, operand_gradients);
    if (!func) return status_null(__func__, "func");
    if (!name) return status_null(__func__, "name");
    const RegisteredOp *op = registered_op(func, name);
    if (!op || !op->definition.backward) {
        return status_create(
            SHARDC_INVALID_INPUT,
            op ? "%s: '%.80s' has no gradient" : "%s: there is no registered op '%.80s'", __func__,
            name);
    }
    ValueCheck checks[] = {
        {.what = "operand", .count = operand_count, .values = operands},
        {.what = "result", .count = result_count, .values = results},
        {.what = "gradient", .count = result_count, .values = gradients, .like = results}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        shardc_status *status = check_list(__func__, func, checks[i]);
        if (status) return status;
    }
    if (operand_count > 0 && !operand_gradients) return status_null(__func__, "operand_gradients");
    size_t count = (size_t)operand_count + 2 * (size_t)result_count;
    shardc_value *all = malloc((count + 1) * sizeof *all);
    if (!all) return status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        size_t k =
            i < (size_t)operand_count ? i : (i - (size_t)operand_count) % (size_t)result_count;
        bool is_result = i < (size_t)operand_count + (size_t)result_count;
        all[i] = i < (size_t)operand_count ? operands[k] : is_result ? results[k] : gradients[k];
    }
    shardc_status *status = run_function(
        __func__, op, op->definition.backward, func, attributes, (int)count, all, operand_count,
        operand_gradients);
    free(all);
    if (!status) {
        ValueCheck made = {
            .what = "gradient",
            .count = operand_count,
            .values = operand_gradients,
            .like = operands,
            .may_be_none = true};
        status = check_list(__func__, func, made);
    }
    if (status) build_clear_values(operand_count, operand_gradients);
    return status;
}
