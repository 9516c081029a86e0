// api_build: modules, meshes and functions that are built op by op.
#include "api/build/api_build.h"

#include "frontend/frontend.h"
#include "ir/verify/verify.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_DEPTH = 128, MAX_COUNT = 1 << 20 };

// Calls.

// The first error begins with the call's name, because what is built has no place in a text.
static shardc_status *call_failed(Call *call) {
    Diag *first = call->diags->first;
    while (first && first->severity != SEVERITY_ERROR)
        first = first->next;
    if (first) {
        first->message =
            strview(arena_printf(call->scratch, "%s: %.*s", call->name, SV_ARG(first->message)));
    }
    return status_from_diags(call->diags);
}

static shardc_status *run_call(
    const char *name, shardc_module *module, shardc_func *func, CallStep *step, void *arguments) {
    ArenaGuard guard;
    Arena *volatile scratch = NULL;
    diagnostics_free(&module->diagnostics);
    module->contents = (StrView){0};
    if (setjmp(guard.jump)) {
        arena_set_guard(module->owner->arena, NULL);
        arena_set_guard(module->arena, NULL);
        arena_free(scratch);
        if (func) {
            if (func->op->parent) op_erase(func->op);
            func->failed = true;
        }
        return status_out_of_memory();
    }
    arena_set_guard(module->owner->arena, &guard);
    arena_set_guard(module->arena, &guard);
    scratch = arena_create(&module->owner->allocator, &guard);
    shardc_status *status = NULL;
    if (scratch) {
        Call call = {name, module, func, scratch, diags_create(scratch)};
        call.diags->file = module->file;
        status = step(&call, arguments) ? module_keep_diagnostics(module, call.diags)
                                        : call_failed(&call);
        arena_free(scratch);
    } else {
        status = status_out_of_memory();
    }
    arena_set_guard(module->owner->arena, NULL);
    arena_set_guard(module->arena, NULL);
    return status;
}

shardc_status *call_module(
    const char *name, shardc_module *module, CallStep *step, void *arguments) {
    if (!module) return status_null(name, "module");
    return run_call(name, module, NULL, step, arguments);
}

shardc_status *call_func(const char *name, shardc_func *func, CallStep *step, void *arguments) {
    if (!func) return status_null(name, "func");
    if (func->finished)
        return status_create(SHARDC_INVALID_INPUT, "%s: the function is already finished", name);
    if (func->failed) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: the function was discarded after an error", name);
    }
    return run_call(name, func->module, func, step, arguments);
}

bool build_error(Call *call, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diag_error(call->diags, NULL, "%s", text);
    return false;
}

// What is built has no place in a text, only the module's name.
const Loc *build_loc(const shardc_module *module) {
    Loc *loc = ARENA_NEW(module->arena, Loc);
    const LocTexts texts = {.file = module->file};
    loc->texts = loc_texts_intern(module->module->context->interner, &texts);
    return loc;
}

// Values and texts.

// A value's number holds its function's number, changed by a key of the context, so that another
// context's values are not taken for ours, and its place among the function's values. The key's
// highest bit makes numbers differ from 0.
static uint32_t value_owner(const shardc_func *func) {
    const Context *context = func->module->module->context;
    uint64_t key = hash_bytes((const char *)&context, sizeof(const Context *), 0);
    return func->number ^ ((uint32_t)key | 1u << 31);
}

static shardc_value value_number(const shardc_func *func, int64_t place) {
    return (shardc_value)value_owner(func) << 32 | (uint32_t)(place + 1);
}

shardc_value build_new_value(shardc_func *func, Value *value) {
    vec_push(func->module->arena, &func->values, value);
    return value_number(func, func->values.count - 1);
}

void build_clear_values(int count, shardc_value *values) {
    if (values && count > 0 && count <= MAX_COUNT)
        memset(values, 0, (size_t)count * sizeof *values);
}

bool build_find_value(Call *call, shardc_value number, const char *what, int i, Value **value) {
    const shardc_func *func = call->func;
    uint32_t owner = (uint32_t)(number >> 32), index = (uint32_t)number;
    if (number == 0) return build_error(call, "%s %d is no value: 0", what, i);
    if (owner != value_owner(func))
        return build_error(call, "%s %d is a value of another function", what, i);
    if (index == 0 || index > func->values.count)
        return build_error(call, "%s %d is no value of the function", what, i);
    *value = func->values.data[index - 1];
    for (const Frame *frame = func->frame; frame; frame = frame->outer) {
        if (frame->region == value_region(*value)) return true;
    }
    return build_error(call, "%s %d is a value of a region that has ended", what, i);
}

bool build_need(Call *call, const char *parameter, const void *pointer) {
    return pointer || build_error(call, "%s is NULL", parameter);
}

bool build_need_list(
    Call *call, const char *parameter, const char *count_name, int count, const void *list) {
    if (count < 0 || count > MAX_COUNT)
        return build_error(call, "%s is %d, expected 0 to %d", count_name, count, (int)MAX_COUNT);
    return count == 0 || build_need(call, parameter, list);
}

Value **build_find_values(Call *call, const char *what, int count, const shardc_value *numbers) {
    const char *list = arena_printf(call->scratch, "%ss", what);
    const char *count_name = arena_printf(call->scratch, "%s_count", what);
    if (!build_need_list(call, list, count_name, count, numbers)) return NULL;
    Value **values = ARENA_ARRAY(call->module->arena, Value *, count + 1);
    for (int i = 0; i < count; i++) {
        if (!build_find_value(call, numbers[i], what, i, &values[i])) return NULL;
    }
    return values;
}

const Type *build_read_type(Call *call, const char *what, const char *text) {
    if (!build_need(call, what, text)) return NULL;
    return frontend_read_type(call->module->module, call->scratch, strview(text), call->diags);
}

const Sharding *build_read_sharding(Call *call, const char *text) {
    return frontend_read_sharding(call->module->module, call->scratch, strview(text), call->diags);
}

// A sharding of the function's argument or result i. What is wrong with the text itself is said
// with the function's name, too.
static bool read_signature_sharding(
    Call *call, const Op *func, const char *what, int i, const char *text, const Type *type,
    const Sharding **sharding) {
    Diags *diags = call->diags;
    StrView file = diags->file;
    *sharding = build_read_sharding(call, text);
    if (!*sharding) {
        diag_note(
            diags, NULL, "shardings[%d] of function '%.*s'", i,
            SV_ARG(op_text(func, NAME_SYM_NAME)));
        return false;
    }
    diags->file = file;
    diags->text = (StrView){NULL, 0};
    const char *prefix = arena_printf(
        call->scratch, "'%.*s': %s %d - ", SV_ARG(op_text(func, NAME_SYM_NAME)), what, i);
    return verify_sharding(call->module->module, func, prefix, *sharding, type, diags);
}

const Type **build_read_types(
    Call *call, const char *what, const char *count_name, int count, const char *const *texts) {
    if (!build_need_list(call, what, count_name, count, texts)) return NULL;
    const Type **types = ARENA_ARRAY(call->scratch, const Type *, count + 1);
    for (int i = 0; i < count; i++) {
        const char *which = arena_printf(call->scratch, "%s[%d]", what, i);
        types[i] = build_read_type(call, which, texts[i]);
        if (!types[i]) return NULL;
    }
    return types;
}

// Letters, digits, _ . $ and -, no digit in front: what needs no quotes.
static bool is_identifier(const char *name) {
    if (!name || !*name || (*name >= '0' && *name <= '9')) return false;
    for (const char *p = name; *p; p++) {
        bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                    (*p >= '0' && *p <= '9') || *p == '_' || (p > name && strchr(".$-", *p));
        if (!good) return false;
    }
    return true;
}

static bool check_symbol(Call *call, const char *what, const char *name) {
    if (!build_need(call, "name", name)) return false;
    if (!is_identifier(name))
        return build_error(call, "name '%.80s' of the %s is not an identifier", name, what);
    for (const Op *op = call->module->module->body->first; op; op = op->next) {
        if (strview_equal(op_text(op, NAME_SYM_NAME), strview(name)))
            return build_error(call, "the module has a symbol named '%.80s' already", name);
    }
    return true;
}

// Modules.

shardc_status *shardc_module_create(
    shardc_context *context, const char *name, shardc_module **module) {
    if (!module) return status_null(__func__, "module");
    *module = NULL;
    if (!context) return status_null(__func__, "context");
    if (name && !is_identifier(name)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: name '%.80s' is not an identifier", __func__, name);
    }
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    arena_set_guard(context->arena, &guard);
    if (setjmp(guard.jump)) {
        arena_set_guard(context->arena, NULL);
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(&context->allocator, &guard);
    if (!arena) {
        arena_set_guard(context->arena, NULL);
        return status_out_of_memory();
    }
    shardc_module *made = ARENA_NEW(arena, shardc_module);
    made->owner = context;
    made->arena = arena;
    made->file = arena_strview(arena, strview(name ? name : "<built>"));
    made->module = module_create(context->context, arena);
    made->module->op->loc = build_loc(made);
    if (name) {
        const Attr *text = attr_string(context->context, strview(name));
        op_set_attr(made->module, made->module->op, NAME_SYM_NAME, text);
    }
    arena_set_guard(context->arena, NULL);
    arena_set_guard(arena, NULL);
    *module = made;
    return NULL;
}

typedef struct MeshParts {
    const char *name;
    int axis_count;
    const char *const *axes;
    const int64_t *sizes;
} MeshParts;

static bool build_mesh(Call *call, void *arguments) {
    const MeshParts *parts = arguments;
    Module *module = call->module->module;
    if (!check_symbol(call, "mesh", parts->name)) return false;
    if (parts->axis_count < 1 || parts->axis_count > MAX_AXES) {
        return build_error(
            call, "axis_count is %d, a mesh has 1 to %d axes", parts->axis_count, (int)MAX_AXES);
    }
    if (!build_need(call, "axes", parts->axes) || !build_need(call, "sizes", parts->sizes))
        return false;
    Mesh mesh = {.axis_count = parts->axis_count};
    for (int i = 0; i < parts->axis_count; i++) {
        const char *which = arena_printf(call->scratch, "axes[%d]", i);
        if (!build_need(call, which, parts->axes[i])) return false;
        if (!is_identifier(parts->axes[i]))
            return build_error(call, "%s '%.80s' is not an identifier", which, parts->axes[i]);
        StrView name = context_name(module->context, strview(parts->axes[i]));
        mesh.axes[i] = (MeshAxis){name, parts->sizes[i]};
    }
    Builder builder = {.module = module, .loc = build_loc(call->module)};
    Op *op = build_op(&builder, OP_SDY_MESH, 0, NULL, 0, NULL, 0);
    const Attr attr = {.kind = ATTR_MESH, .mesh = mesh_intern(module->context, &mesh)};
    op_set_attr(module, op, NAME_SYM_NAME, attr_string(module->context, strview(parts->name)));
    op_set_attr(module, op, NAME_MESH, attr_intern(module->context, &attr));
    if (!verify_op(module, op, call->diags)) return false;
    if (module->body->first) {
        op_move_before(op, module->body->first);
    } else {
        op_move_to_end(op, module->body);
    }
    return true;
}

shardc_status *shardc_build_mesh(
    shardc_module *module, const char *name, int axis_count, const char *const *axes,
    const int64_t *sizes) {
    MeshParts parts = {name, axis_count, axes, sizes};
    return call_module(__func__, module, build_mesh, &parts);
}

// Functions.

typedef struct FuncParts {
    const char *name;
    int count;
    const char *const *types, *const *shardings;
    const int *donated;
    const shardc_value *results;
    shardc_func *made;
} FuncParts;

static Frame *frame_open(Arena *arena, Region *region, Frame *outer) {
    Frame *frame = ARENA_NEW(arena, Frame);
    frame->region = region;
    frame->outer = outer;
    frame->depth = outer ? outer->depth + 1 : 0;
    return frame;
}

static void set_donated(Module *module, Op *op, int count, const int *donated) {
    bool any = false;
    StrView name = context_name(module->context, SV("jax.buffer_donor"));
    const Attr *yes = attr_bool(module->context, true);
    const Attr **dicts = ARENA_ARRAY(module->arena, const Attr *, count);
    for (int i = 0; i < count; i++) {
        any = any || donated[i];
        dicts[i] = attr_dict(module->context, donated[i] ? 1 : 0, &name, &yes);
    }
    if (any) op_set_attr(module, op, NAME_ARG_ATTRS, attr_array(module->context, count, dicts));
}

static bool begin_func(Call *call, void *arguments) {
    FuncParts *parts = arguments;
    Module *module = call->module->module;
    if (!check_symbol(call, "function", parts->name)) return false;
    const Type **types =
        build_read_types(call, "types", "argument_count", parts->count, parts->types);
    if (!types) return false;
    shardc_func *func = ARENA_NEW(module->arena, shardc_func);
    func->module = call->module;
    func->number = ++call->module->owner->func_count;
    Builder builder = {.module = module, .loc = build_loc(call->module)};
    func->op = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    op_set_attr(
        module, func->op, NAME_SYM_NAME, attr_string(module->context, strview(parts->name)));
    for (int i = 0; i < parts->count; i++) {
        Value *argument = region_add_arg(module, func_body(func->op), types[i], builder.loc);
        build_new_value(func, argument);
        if (!parts->shardings || !parts->shardings[i]) continue;
        const char *text = parts->shardings[i];
        if (!read_signature_sharding(
                call, func->op, "argument", i, text, types[i], &argument->sharding))
            return false;
    }
    if (parts->donated) set_donated(module, func->op, parts->count, parts->donated);
    func->frame = frame_open(module->arena, func_body(func->op), NULL);
    parts->made = func;
    return true;
}

shardc_status *shardc_func_begin(
    shardc_module *module, const char *name, int argument_count, const char *const *types,
    const char *const *shardings, const int *donated, shardc_func **func) {
    FuncParts parts = {
        .name = name,
        .count = argument_count,
        .types = types,
        .shardings = shardings,
        .donated = donated};
    if (!func) return status_null(__func__, "func");
    *func = NULL;
    shardc_status *status = call_module(__func__, module, begin_func, &parts);
    if (!status) *func = parts.made;
    return status;
}

shardc_value shardc_func_argument(const shardc_func *func, int i) {
    if (!func || i < 0 || i >= func_body(func->op)->arg_count) return 0;
    return value_number(func, i);
}

// The function's type and the shardings of its results.
static bool set_signature(Call *call, const FuncParts *parts, Value *const *results) {
    Module *module = call->module->module;
    Op *op = call->func->op;
    const Region *body = func_body(op);
    const Type **types = ARENA_ARRAY(call->scratch, const Type *, body->arg_count + parts->count);
    const Type **outputs = types + body->arg_count;
    op->result_shardings = ARENA_ARRAY(module->arena, const Sharding *, parts->count);
    for (int i = 0; i < body->arg_count; i++)
        types[i] = body->args[i]->type;
    for (int i = 0; i < parts->count; i++) {
        outputs[i] = results[i]->type;
        if (!parts->shardings || !parts->shardings[i]) continue;
        const char *text = parts->shardings[i];
        if (!read_signature_sharding(
                call, op, "result", i, text, outputs[i], &op->result_shardings[i]))
            return false;
    }
    const Type *type =
        type_function(module->context, body->arg_count, types, parts->count, outputs);
    op_set_attr(module, op, NAME_FUNCTION_TYPE, attr_type(module->context, type));
    return true;
}

static bool finish_func(Call *call, void *arguments) {
    const FuncParts *parts = arguments;
    shardc_func *func = call->func;
    Module *module = call->module->module;
    if (func->frame->outer) return build_error(call, "a region of the function is still open");
    if (func->frame->pending) return build_error(call, "a region waits for its op");
    Value **results = build_find_values(call, "result", parts->count, parts->results);
    if (!results || !set_signature(call, parts, results)) return false;
    StrView name = op_text(func->op, NAME_SYM_NAME);
    if (!check_symbol(call, "function", arena_cstring(call->scratch, name))) return false;
    Builder builder = builder_at_end(module, func_body(func->op));
    builder.loc = func->op->loc;
    build_return(&builder, OP_FUNC_RETURN, parts->count, results);
    call->diags->text = (StrView){NULL, 0};
    op_move_to_end(func->op, module->body);
    func->finished = verify_module(module, call->diags);
    func->failed = !func->finished;
    if (func->failed) op_erase(func->op);
    return func->finished;
}

shardc_status *shardc_func_finish(
    shardc_func *func, int result_count, const shardc_value *results,
    const char *const *shardings) {
    FuncParts parts = {.count = result_count, .results = results, .shardings = shardings};
    return call_func(__func__, func, finish_func, &parts);
}

// Regions.

typedef struct RegionParts {
    int count;
    const char *const *types;
    shardc_value *arguments;
    const shardc_value *results;
} RegionParts;

static bool begin_region(Call *call, void *arguments) {
    const RegionParts *parts = arguments;
    shardc_func *func = call->func;
    Module *module = call->module->module;
    if (func->frame->depth >= MAX_DEPTH)
        return build_error(call, "regions are nested more than %d deep", (int)MAX_DEPTH);
    const Type **types =
        build_read_types(call, "types", "argument_count", parts->count, parts->types);
    if (!types ||
        !build_need_list(call, "arguments", "argument_count", parts->count, parts->arguments))
        return false;
    Region *region = ARENA_NEW(module->arena, Region);
    for (int i = 0; i < parts->count; i++) {
        Value *argument = region_add_arg(module, region, types[i], func->op->loc);
        parts->arguments[i] = build_new_value(func, argument);
    }
    func->frame = frame_open(module->arena, region, func->frame);
    return true;
}

shardc_status *shardc_region_begin(
    shardc_func *func, int argument_count, const char *const *types, shardc_value *arguments) {
    RegionParts parts = {.count = argument_count, .types = types};
    parts.arguments = arguments;
    build_clear_values(argument_count, arguments);
    return call_func(__func__, func, begin_region, &parts);
}

static bool end_region(Call *call, void *arguments) {
    const RegionParts *parts = arguments;
    shardc_func *func = call->func;
    Frame *frame = func->frame;
    if (!frame->outer) return build_error(call, "no region is open");
    if (frame->pending) return build_error(call, "a region waits for its op");
    Value **results = build_find_values(call, "result", parts->count, parts->results);
    if (!results) return false;
    PendingRegion *pending = ARENA_NEW(call->module->arena, PendingRegion);
    pending->region = frame->region;
    pending->count = parts->count;
    pending->results = results;
    func->frame = frame->outer;
    *(func->frame->pending ? &func->frame->last_pending->next : &func->frame->pending) = pending;
    func->frame->last_pending = pending;
    func->frame->pending_count++;
    return true;
}

shardc_status *shardc_region_end(shardc_func *func, int result_count, const shardc_value *results) {
    RegionParts parts = {.count = result_count, .results = results};
    return call_func(__func__, func, end_region, &parts);
}
