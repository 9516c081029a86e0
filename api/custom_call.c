// custom_call: custom functions: their registration, the check of the calls, and calling them by
// libffi.
#include "api/api_internal.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/type.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// An argument as libffi takes it: the address of one of these.
typedef union Argument {
    void *pointer;
    int64_t integer;
    double number;
} Argument;

// One custom call of a model. Arguments that are the same at each call are filled in;
// the others depend on the device.
typedef struct CustomCall {
    CustomFunction *function; // a copy: the context may be gone; NULL: the resolver's
    const shardc_model_custom_call *model;
    const char *place; // "model.mlir:3:5"
    int operand_count;
    Argument *arguments; // [function->parameter_count]
} CustomCall;

struct CustomCalls {
    int count;
    CustomCall *calls;
    shardc_custom_resolver resolver;
    atomic_bool has_failed;
};

// ---- registration

static bool has_index(shardc_custom_kind kind) {
    return kind >= SHARDC_CUSTOM_OPERAND && kind <= SHARDC_CUSTOM_RESULT_COUNT;
}

static bool has_name(shardc_custom_kind kind) {
    return kind == SHARDC_CUSTOM_I64 || kind == SHARDC_CUSTOM_F64 ||
           kind == SHARDC_CUSTOM_COORDINATE;
}

static bool is_of_operand(shardc_custom_kind kind) {
    return kind == SHARDC_CUSTOM_OPERAND || kind == SHARDC_CUSTOM_OPERAND_DIMS ||
           kind == SHARDC_CUSTOM_OPERAND_RANK || kind == SHARDC_CUSTOM_OPERAND_COUNT;
}

static ffi_type *ffi_type_of(shardc_custom_kind kind) {
    switch (kind) {
    case SHARDC_CUSTOM_OPERAND:
    case SHARDC_CUSTOM_RESULT:
    case SHARDC_CUSTOM_OPERAND_DIMS:
    case SHARDC_CUSTOM_RESULT_DIMS:
    case SHARDC_CUSTOM_USER:
    case SHARDC_CUSTOM_CONFIG: return &ffi_type_pointer;
    case SHARDC_CUSTOM_OPERAND_RANK:
    case SHARDC_CUSTOM_RESULT_RANK:
    case SHARDC_CUSTOM_OPERAND_COUNT:
    case SHARDC_CUSTOM_RESULT_COUNT:
    case SHARDC_CUSTOM_DEVICE:
    case SHARDC_CUSTOM_COORDINATE:
    case SHARDC_CUSTOM_I64: return &ffi_type_sint64;
    case SHARDC_CUSTOM_F64: return &ffi_type_double;
    }
    return NULL;
}

static const char *parameter_problem(const shardc_custom_parameter *parameter) {
    if (!ffi_type_of(parameter->kind)) return "is of an unknown kind";
    if (has_index(parameter->kind) && parameter->index < 0) return "has a negative index";
    if (has_name(parameter->kind) && (!parameter->name || !*parameter->name)) {
        return "needs the name of an attribute or mesh axis";
    }
    bool is_array =
        parameter->kind == SHARDC_CUSTOM_OPERAND || parameter->kind == SHARDC_CUSTOM_RESULT;
    if (is_array && parameter->dtype != SHARDC_DTYPE_INVALID &&
        !shardc_dtype_size(parameter->dtype)) {
        return "has an unknown element type";
    }
    return NULL;
}

static shardc_status *check_registration(
    const shardc_context *context, const char *name, shardc_custom_function *function,
    const shardc_custom_parameter *parameters, size_t count, shardc_custom_return returns) {
    static const char call[] = "shardc_register_custom";
    if (!context) return status_null(call, "context");
    if (!name) return status_null(call, "name");
    if (!*name) return status_create(SHARDC_INVALID_INPUT, "%s: name is empty", call);
    if (!function) return status_null(call, "function");
    if (!parameters && count) return status_null(call, "parameters");
    if (count > SHARDC_CUSTOM_MAX_PARAMETERS) {
        return status_create(
            SHARDC_INVALID_INPUT,
            "custom function '%s' has %zu parameters, at most %d are possible", name, count,
            SHARDC_CUSTOM_MAX_PARAMETERS);
    }
    for (size_t i = 0; i < count; i++) {
        const char *problem = parameter_problem(&parameters[i]);
        if (problem) {
            return status_create(
                SHARDC_INVALID_INPUT, "parameter %zu of custom function '%s' %s", i, name, problem);
        }
    }
    if (returns != SHARDC_CUSTOM_VOID && returns != SHARDC_CUSTOM_STATUS) {
        return status_create(
            SHARDC_INVALID_INPUT, "custom function '%s' returns something unknown", name);
    }
    for (const CustomFunction *known = context->custom; known; known = known->next) {
        if (strview_is(known->name, name)) {
            return status_create(
                SHARDC_INVALID_INPUT, "custom function '%s' is known already", name);
        }
    }
    return NULL;
}

// A copy with everything that it needs.
static CustomFunction *copy_function(Arena *arena, const CustomFunction *from) {
    assert(from->parameters || from->parameter_count == 0);
    CustomFunction *copy = arena_copy(arena, from, sizeof *from);
    copy->next = NULL;
    copy->name = strview(arena_cstring(arena, from->name));
    shardc_custom_parameter *parameters =
        ARENA_ARRAY(arena, shardc_custom_parameter, from->parameter_count);
    ffi_type **types = ARENA_ARRAY(arena, ffi_type *, from->parameter_count);
    for (int i = 0; i < from->parameter_count; i++) {
        parameters[i] = from->parameters[i];
        bool named = has_name(parameters[i].kind);
        parameters[i].name = named ? arena_cstring(arena, strview(parameters[i].name)) : NULL;
        types[i] = ffi_type_of(parameters[i].kind);
    }
    copy->parameters = parameters;
    copy->call.arg_types = types;
    return copy;
}

static shardc_status *add_function(shardc_context *context, const CustomFunction *given) {
    ArenaGuard guard;
    arena_set_guard(context->arena, &guard);
    if (setjmp(guard.jump)) {
        arena_set_guard(context->arena, NULL);
        return status_out_of_memory();
    }
    CustomFunction *made = copy_function(context->arena, given);
    arena_set_guard(context->arena, NULL);
    ffi_type *result = made->returns == SHARDC_CUSTOM_STATUS ? &ffi_type_sint : &ffi_type_void;
    ffi_status prepared = ffi_prep_cif(
        &made->call, FFI_DEFAULT_ABI, (unsigned)made->parameter_count, result,
        made->call.arg_types);
    if (prepared != FFI_OK) {
        return status_create(
            SHARDC_INTERNAL, "libffi cannot call custom function '%.*s' (%d)", SV_ARG(made->name),
            (int)prepared);
    }
    made->next = context->custom;
    context->custom = made;
    return NULL;
}

shardc_status *shardc_register_custom(
    shardc_context *context, const char *name, shardc_custom_function *function,
    const shardc_custom_parameter *parameters, size_t parameter_count, shardc_custom_return returns,
    void *user) {
    shardc_status *status =
        check_registration(context, name, function, parameters, parameter_count, returns);
    if (status) return status;
    const CustomFunction given = {
        .name = strview(name),
        .function = function,
        .parameter_count = (int)parameter_count,
        .parameters = parameters,
        .returns = returns,
        .user = user,
    };
    return add_function(context, &given);
}

static int count_names(const char *list) {
    int count = list && *list ? 1 : 0;
    for (const char *at = list; at && *at; at++)
        count += *at == ',';
    return count;
}

const char *custom_list_problem(const char *list) {
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        StrView name = {at, strcspn(at, ",")};
        if (name.size == 0) return "has an empty name";
        for (const char *before = list; before < at; before = strchr(before, ',') + 1) {
            if (strview_equal((StrView){before, strcspn(before, ",")}, name))
                return "has a name twice";
        }
    }
    return NULL;
}

const StrView *custom_names(
    const shardc_context *context, const char *list, Arena *arena, int *count) {
    int room = count_names(list);
    for (const CustomFunction *f = context->custom; f; f = f->next) {
        room++;
    }
    StrView *names = ARENA_ARRAY(arena, StrView, room);
    int next = 0;
    for (const CustomFunction *f = context->custom; f; f = f->next) {
        names[next++] = f->name;
    }
    for (const char *at = list; next < room; at += names[next++].size + 1) {
        names[next] = (StrView){at, strcspn(at, ",")};
    }
    *count = next;
    return names;
}

shardc_status *shardc_set_custom_resolver(
    shardc_context *context, const shardc_custom_resolver *resolver) {
    if (!context) return status_null(__func__, "context");
    shardc_custom_resolver all = {0};
    if (resolver) {
        shardc_status *status = read_struct(__func__, "resolver", resolver, sizeof all, &all);
        if (status) return status;
        if (!all.knows) return status_null(__func__, "resolver->knows");
        if (!all.call) return status_null(__func__, "resolver->call");
    }
    context->resolver = all;
    return NULL;
}

bool custom_knows(void *user, StrView name) {
    const shardc_context *context = user;
    char text[256];
    if (!context->resolver.knows || name.size >= sizeof text) return false;
    memcpy(text, name.data, name.size);
    text[name.size] = 0;
    return context->resolver.knows(context->resolver.user, text) != 0;
}

// ---- the calls of a model

typedef struct Check {
    Arena *arena;
    const shardc_model *model;
    const shardc_model_custom_call *call;
    const Loc *loc;
    const CustomFunction *function;
    Diags *diags;
} Check;

static bool refuse(const Check *check, int parameter, const char *what) {
    diag_error(
        check->diags, check->loc, "the call does not fit custom function '%.*s': parameter %d %s",
        SV_ARG(check->function->name), parameter, what);
    return false;
}

static const shardc_model_custom_attribute *find_attribute(
    const shardc_model_custom_call *call, const char *name) {
    for (int32_t i = 0; i < call->attribute_count; i++) {
        if (strcmp(call->attributes[i].name, name) == 0) return &call->attributes[i];
    }
    return NULL;
}

static bool attribute_argument(
    const Check *check, int i, const shardc_custom_parameter *parameter, Argument *argument) {
    const shardc_model_custom_attribute *attribute = find_attribute(check->call, parameter->name);
    if (!attribute) {
        return refuse(
            check, i,
            arena_printf(
                check->arena, "is the number '%s', which backend_config lacks", parameter->name));
    }
    if (parameter->kind == SHARDC_CUSTOM_F64) {
        argument->number = attribute->number;
        return true;
    }
    if (!attribute->is_integer) {
        return refuse(
            check, i,
            arena_printf(check->arena, "is the number '%s', which is no integer", parameter->name));
    }
    argument->integer = attribute->integer;
    return true;
}

static int64_t element_count(const shardc_model_custom_array *array) {
    int64_t count = 1;
    for (int32_t d = 0; d < array->rank; d++)
        count *= array->dims[d];
    return count;
}

static bool array_argument(
    const Check *check, int i, const shardc_custom_parameter *parameter, Argument *argument) {
    const shardc_model_custom_call *call = check->call;
    bool of_operand = is_of_operand(parameter->kind);
    int count = of_operand ? call->operand_count : call->result_count;
    const char *what = of_operand ? "operand" : "result";
    if (parameter->index >= count) {
        return refuse(
            check, i,
            arena_printf(check->arena, "wants %s %d of %d", what, parameter->index, count));
    }
    const shardc_model_custom_array *array =
        &call->arrays[parameter->index + (of_operand ? 0 : call->operand_count)];
    if (strcmp(array->type, "token") == 0) {
        return refuse(
            check, i,
            arena_printf(check->arena, "wants %s %d, which is a token", what, parameter->index));
    }
    switch (parameter->kind) {
    case SHARDC_CUSTOM_OPERAND_DIMS:
    case SHARDC_CUSTOM_RESULT_DIMS:
        argument->pointer =
            arena_copy(check->arena, array->dims, (size_t)array->rank * sizeof *array->dims);
        return true;
    case SHARDC_CUSTOM_OPERAND_RANK:
    case SHARDC_CUSTOM_RESULT_RANK: argument->integer = array->rank; return true;
    case SHARDC_CUSTOM_OPERAND_COUNT:
    case SHARDC_CUSTOM_RESULT_COUNT: argument->integer = element_count(array); return true;
    case SHARDC_CUSTOM_OPERAND:
    case SHARDC_CUSTOM_RESULT:
    case SHARDC_CUSTOM_DEVICE:
    case SHARDC_CUSTOM_USER:
    case SHARDC_CUSTOM_I64:
    case SHARDC_CUSTOM_F64:
    case SHARDC_CUSTOM_COORDINATE:
    case SHARDC_CUSTOM_CONFIG: break;
    }
    const char *expected = shardc_dtype_name(parameter->dtype);
    if (parameter->dtype == SHARDC_DTYPE_INVALID || strcmp(expected, array->type) == 0) return true;
    return refuse(
        check, i,
        arena_printf(
            check->arena, "wants %s %d of type %s, it has %s", what, parameter->index, expected,
            array->type));
}

// The model's mesh, read from its text; NULL where it has none.
static const Mesh *read_mesh(const Check *check) {
    if (!*check->model->mesh) return NULL;
    StrView text = strview(arena_printf(check->arena, "sdy.mesh @mesh = %s", check->model->mesh));
    ReadOptions options = {.file = SV("mesh")};
    Module *module = frontend_read(
        context_create(check->arena), check->arena, text, &options, diags_create(check->arena));
    return module ? module_find_mesh(module, SV("mesh")) : NULL;
}

// The argument becomes the coordinates of all devices, [device_count].
static bool coordinate_argument(
    const Check *check, int i, const shardc_custom_parameter *parameter, Argument *argument) {
    const Mesh *mesh = read_mesh(check);
    int axis = -1; // names are interned by context, and this is another one
    for (int a = 0; mesh && a < mesh->axis_count; a++) {
        if (strview_is(mesh->axes[a].name, parameter->name)) axis = a;
    }
    int64_t devices = check->model->device_count;
    if (axis < 0 || mesh_device_count(mesh) != devices) {
        return refuse(
            check, i,
            arena_printf(
                check->arena, "is a coordinate on the mesh axis '%s', which the program lacks",
                parameter->name));
    }
    int64_t stride = 1;
    for (int a = axis + 1; a < mesh->axis_count; a++)
        stride *= mesh->axes[a].size;
    int64_t *coordinates = ARENA_ARRAY(check->arena, int64_t, devices);
    for (int64_t device = 0; device < devices; device++)
        coordinates[device] = mesh_index_of_device(mesh, device) / stride % mesh->axes[axis].size;
    argument->pointer = coordinates;
    return true;
}

static bool fill_argument(const Check *check, int i, Argument *argument) {
    const shardc_custom_parameter *parameter = &check->function->parameters[i];
    if (parameter->kind == SHARDC_CUSTOM_COORDINATE)
        return coordinate_argument(check, i, parameter, argument);
    if (has_index(parameter->kind)) return array_argument(check, i, parameter, argument);
    if (has_name(parameter->kind)) return attribute_argument(check, i, parameter, argument);
    if (parameter->kind == SHARDC_CUSTOM_USER) argument->pointer = check->function->user;
    if (parameter->kind == SHARDC_CUSTOM_CONFIG) {
        argument->pointer = arena_cstring(check->arena, strview(check->call->config));
    }
    return true;
}

static bool fill_call(const Check *check, CustomCall *call) {
    int count = check->function->parameter_count;
    call->function = copy_function(check->arena, check->function);
    call->place = *check->call->location
                      ? arena_cstring(check->arena, strview(check->call->location))
                      : "an unknown place";
    call->operand_count = check->call->operand_count;
    call->arguments = ARENA_ARRAY(check->arena, Argument, count);
    for (int i = 0; i < count; i++) {
        if (!fill_argument(check, i, &call->arguments[i])) return false;
    }
    return true;
}

// Where the call of a loaded model was written, for diagnostics.
static const Loc *place_in_file(Arena *arena, const shardc_model_custom_call *call) {
    Loc *loc = ARENA_NEW(arena, Loc);
    loc->texts = loc_texts_of_file(arena, strview(arena_cstring(arena, strview(call->location))));
    return loc;
}

CustomCalls *custom_calls_create(
    Arena *arena, const shardc_context *context, const shardc_model *model,
    const CodegenResult *code, Diags *diags) {
    CustomCalls *calls = ARENA_NEW(arena, CustomCalls);
    calls->count = model->custom_count;
    calls->resolver = context->resolver;
    calls->calls = ARENA_ARRAY(arena, CustomCall, calls->count);
    bool good = true;
    for (int i = 0; i < calls->count; i++) {
        const shardc_model_custom_call *call = &model->custom_calls[i];
        const Loc *loc = code ? code->custom_calls[i]->loc : place_in_file(arena, call);
        const CustomFunction *function = context->custom;
        while (function && !strview_is(function->name, call->name)) {
            function = function->next;
        }
        calls->calls[i].model = call;
        if (!function && context->resolver.knows &&
            context->resolver.knows(context->resolver.user, call->name)) {
            continue;
        }
        if (!function) {
            diag_error(diags, loc, "the custom function '%s' is not registered", call->name);
            good = false;
            continue;
        }
        Check check = {arena, model, call, loc, function, diags};
        good = fill_call(&check, &calls->calls[i]) && good;
    }
    return good ? calls : NULL;
}

// ---- calling

int32_t custom_dispatch(
    void *user, int64_t number, int64_t device, void *const *buffers, char *error,
    uint64_t error_size) {
    const ExecutionContext *execution = user;
    CustomCalls *calls = execution->custom;
    const CustomCall *call = &calls->calls[number];
    const CustomFunction *function = call->function;
    if (!function) {
        int32_t failed = calls->resolver.call(
            calls->resolver.user, execution->user, call->model, device, buffers, error, error_size);
        if (failed) atomic_store(&calls->has_failed, true);
        return failed;
    }
    Argument arguments[SHARDC_CUSTOM_MAX_PARAMETERS];
    void *places[SHARDC_CUSTOM_MAX_PARAMETERS];
    for (int i = 0; i < function->parameter_count; i++) {
        const shardc_custom_parameter *parameter = &function->parameters[i];
        arguments[i] = call->arguments[i];
        if (parameter->kind == SHARDC_CUSTOM_OPERAND) {
            arguments[i].pointer = buffers[parameter->index];
        } else if (parameter->kind == SHARDC_CUSTOM_RESULT) {
            arguments[i].pointer = buffers[call->operand_count + parameter->index];
        } else if (parameter->kind == SHARDC_CUSTOM_DEVICE) {
            arguments[i].integer = device;
        } else if (parameter->kind == SHARDC_CUSTOM_COORDINATE) {
            arguments[i].integer = ((const int64_t *)call->arguments[i].pointer)[device];
        }
        places[i] = &arguments[i];
    }
    ffi_cif signature = function->call; // libffi's functions take it as not const
    ffi_arg returned = 0;
    ffi_call(&signature, function->function, &returned, places);
    if (function->returns == SHARDC_CUSTOM_VOID || (int)returned == 0) return 0;
    atomic_store(&calls->has_failed, true);
    (void)snprintf(
        error, (size_t)error_size, "custom function '%.*s' failed with %d on device %lld at %s",
        SV_ARG(function->name), (int)returned, (long long)device, call->place);
    return 1;
}

bool custom_take_failure(CustomCalls *calls) { return atomic_exchange(&calls->has_failed, false); }
